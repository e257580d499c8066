package googlebusiness

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"crier/connectors/simulators/simulation"
)

const (
	maxSummary = 1500
	maxTitle   = 58
	maxPicture = 5 << 20
	// reviewTime is for how long a post is looked at that leads elsewhere.
	reviewTime = 3 * time.Second
)

// localPost is the body of a new post, and what is kept of one.
type localPost struct {
	LanguageCode string `json:"languageCode,omitempty"`
	Summary      string `json:"summary,omitempty"`
	TopicType    string `json:"topicType"`
	CallToAction *struct {
		ActionType string `json:"actionType"`
		URL        string `json:"url,omitempty"`
	} `json:"callToAction,omitempty"`
	Event *struct {
		Title    string `json:"title"`
		Schedule struct {
			StartDate *date      `json:"startDate"`
			StartTime *timeOfDay `json:"startTime"`
			EndDate   *date      `json:"endDate"`
			EndTime   *timeOfDay `json:"endTime"`
		} `json:"schedule"`
	} `json:"event,omitempty"`
	Offer *struct {
		CouponCode      string `json:"couponCode,omitempty"`
		RedeemOnlineURL string `json:"redeemOnlineUrl,omitempty"`
		TermsConditions string `json:"termsConditions,omitempty"`
	} `json:"offer,omitempty"`
	Media []mediaItem `json:"media,omitempty"`
}

type date struct {
	Year  int `json:"year"`
	Month int `json:"month"`
	Day   int `json:"day"`
}

type timeOfDay struct {
	Hours   int `json:"hours"`
	Minutes int `json:"minutes"`
}

func (d date) at(t timeOfDay) time.Time {
	return time.Date(d.Year, time.Month(d.Month), d.Day, t.Hours, t.Minutes, 0, 0, time.UTC)
}

type mediaItem struct {
	Name        string `json:"name,omitempty"`
	MediaFormat string `json:"mediaFormat"`
	SourceURL   string `json:"sourceUrl,omitempty"`
	GoogleURL   string `json:"googleUrl,omitempty"`
}

func (s *simulator) createPost(v visit) {
	var input localPost
	decoder := json.NewDecoder(http.MaxBytesReader(v.rw, v.r.Body, maxRequest))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&input); err != nil {
		v.fail(refusal{Code: http.StatusBadRequest, Status: "INVALID_ARGUMENT", Message: "Invalid JSON payload received. " + err.Error()})
		return
	}
	s.world.Publish(v.rw, v.r, simulation.VisibleCall{Dialect: s.dialect, Account: v.r.PathValue("location"), Text: input.Summary}, func(rw http.ResponseWriter) {
		v.rw = rw
		post, err := s.add(v, input)
		if err != nil {
			v.fail(err)
			return
		}
		answer(rw, http.StatusOK, s.objectOf(v.r.PathValue("account"), post))
	})
}

func (s *simulator) add(v visit, input localPost) (simulation.Post, error) {
	for _, check := range []func(localPost) error{checkText, checkTopic, checkButton} {
		if err := check(input); err != nil {
			return simulation.Post{}, err
		}
	}
	post := simulation.Post{Account: v.r.PathValue("location"), Text: input.Summary, Workspace: s.world.WorkspaceOf(v.r), By: s.world.NameOf(v.r)}
	for _, item := range input.Media {
		pulled, err := s.pull(v, item)
		if err != nil {
			return simulation.Post{}, err
		}
		post.Media = append(post.Media, pulled)
	}
	encoded, err := json.Marshal(input)
	if err != nil {
		return simulation.Post{}, err
	}
	post.Fields = encoded
	post, _, err = s.world.Add(post)
	return post, err
}

func checkText(p localPost) error {
	switch {
	case utf8.RuneCountInString(p.Summary) > maxSummary:
		return badField("summary", "The summary is too long")
	case p.Summary == "" && len(p.Media) == 0:
		return badField("summary", "A post needs a summary")
	case len(p.Media) > 1:
		return badField("media", "A post has at most one photo")
	default:
		return nil
	}
}

func checkTopic(p localPost) error {
	switch {
	case !slices.Contains([]string{"STANDARD", "EVENT", "OFFER"}, p.TopicType):
		return badField("topic_type", "The topic type is not known")
	case p.TopicType != "OFFER" && p.Offer != nil:
		return badField("offer", "An offer is of a post of type OFFER")
	case p.TopicType == "STANDARD" && p.Event != nil:
		return badField("event", "A standard post has no event")
	case p.TopicType == "STANDARD":
		return nil
	case p.Event == nil || p.Event.Title == "":
		return badField("event", "An event with a title is required")
	}
	if utf8.RuneCountInString(p.Event.Title) > maxTitle {
		return badField("event.title", "Must be at most 58 characters")
	}
	schedule := p.Event.Schedule
	if schedule.StartDate == nil || schedule.StartTime == nil || schedule.EndDate == nil || schedule.EndTime == nil {
		return badField("event.schedule", "A schedule has all its fields")
	}
	if !schedule.StartDate.at(*schedule.StartTime).Before(schedule.EndDate.at(*schedule.EndTime)) {
		return badField("event.schedule", "The event ends before it starts")
	}
	return nil
}

func checkButton(p localPost) error {
	button := p.CallToAction
	switch {
	case button == nil:
		return nil
	case !slices.Contains([]string{"BOOK", "ORDER", "SHOP", "LEARN_MORE", "SIGN_UP", "CALL"}, button.ActionType):
		return badField("call_to_action.action_type", "The action type is not known")
	case button.ActionType == "CALL" && button.URL != "":
		return badField("call_to_action.url", "A call has no url")
	case button.ActionType != "CALL" && !isAddress(button.URL):
		return badField("call_to_action.url", "A url is required")
	default:
		return nil
	}
}

func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// pull fetches a picture while the caller waits.
func (s *simulator) pull(v visit, item mediaItem) (simulation.Media, error) {
	if item.MediaFormat != "PHOTO" || !isAddress(item.SourceURL) {
		return simulation.Media{}, badField("media", "Only photos with a source_url are supported")
	}
	content := s.world.NewContent()
	mediaType, size, err := s.world.Pull(v.r.Context(), content, item.SourceURL)
	switch {
	case err != nil:
		return simulation.Media{}, badField("media.source_url", "The photo could not be fetched")
	case mediaType != "image/jpeg" && mediaType != "image/png":
		return simulation.Media{}, badField("media.source_url", "The photo is in no format that is supported")
	case size > maxPicture:
		return simulation.Media{}, badField("media.source_url", "The photo is too large")
	}
	return simulation.Media{ID: item.SourceURL, Type: mediaType, Size: size, Content: content}, nil
}

// inputOf returns what was asked for.
func inputOf(p simulation.Post) (input localPost) {
	if json.Unmarshal(p.Fields, &input) != nil {
		return localPost{Summary: p.Text, TopicType: "STANDARD"}
	}
	return input
}

var phoneNumber = regexp.MustCompile(`\+[0-9][0-9 ()./-]{6,}[0-9]`)

// takenDown is a text that is shown, and rejected later.
var takenDown = regexp.MustCompile(`(?i)\bmiracle cure\b`)

// stateOf returns how far a post is. What leads elsewhere is looked at before it is shown, and a
// text with a phone number is rejected.
func (s *simulator) stateOf(p simulation.Post) string {
	input := inputOf(p)
	number := phoneNumber.MatchString(input.Summary)
	switch {
	case takenDown.MatchString(input.Summary) && s.world.Now().After(p.CreatedAt.Add(reviewTime)):
		return "REJECTED"
	case !number && input.CallToAction == nil && input.Offer == nil:
		return "LIVE"
	case s.world.Now().Before(p.CreatedAt.Add(reviewTime)):
		return "PROCESSING"
	case number:
		return "REJECTED"
	default:
		return "LIVE"
	}
}

// objectOf is a post as the API tells of it. Pictures are copies of Google's.
func (s *simulator) objectOf(account string, p simulation.Post) map[string]any {
	input := inputOf(p)
	for i := range input.Media {
		input.Media[i] = mediaItem{
			Name:        "accounts/" + account + "/locations/" + p.Account + "/media/localPosts/" + p.ID,
			MediaFormat: "PHOTO", GoogleURL: s.world.BaseURL() + "/local/posts/" + p.Account + "/" + p.ID,
		}
	}
	object := fields(input)
	at := p.CreatedAt.UTC().Format(time.RFC3339Nano)
	object["name"] = place{account, p.Account}.name() + "/localPosts/" + p.ID
	object["state"], object["createTime"], object["updateTime"] = s.stateOf(p), at, at
	object["searchUrl"] = s.world.BaseURL() + "/local/posts/" + p.Account + "/" + p.ID
	return object
}

// removed are the posts of a person that were deleted. What was published stays in the world,
// which tests ask what went out.
func removed(person *simulation.Account) *sync.Map {
	stored, _ := person.Data.LoadOrStore("removed", new(sync.Map))
	return stored.(*sync.Map)
}

func (s *simulator) listPosts(v visit) {
	var all []any
	for p := range s.world.Newest(v.r.PathValue("location")) {
		if _, gone := removed(v.person).Load(p.ID); !gone {
			all = append(all, s.objectOf(v.r.PathValue("account"), p))
		}
	}
	s.list(v, "localPosts", 100, all)
}

func (s *simulator) getPost(v visit) {
	p, err := s.find(v)
	if err != nil {
		v.fail(err)
		return
	}
	answer(v.rw, http.StatusOK, s.objectOf(v.r.PathValue("account"), p))
}

func (s *simulator) deletePost(v visit) {
	p, err := s.find(v)
	if err != nil {
		v.fail(err)
		return
	}
	removed(v.person).Store(p.ID, struct{}{})
	answer(v.rw, http.StatusOK, map[string]any{})
}

func (s *simulator) find(v visit) (simulation.Post, error) {
	p, ok := s.world.Post(v.r.PathValue("location"), v.r.PathValue("post"))
	if _, gone := removed(v.person).Load(p.ID); !ok || gone {
		return simulation.Post{}, notFound()
	}
	return p, nil
}

var page = template.Must(template.New("").Parse(`<!DOCTYPE html><title>Google, simulated</title><article><p>{{.Location}}, {{.At}}</p><p style="white-space:pre-wrap">{{.Text}}</p></article>`))

// page shows a post to a browser.
func (s *simulator) page(rw http.ResponseWriter, r *http.Request) {
	p, ok := s.world.Post(r.PathValue("location"), r.PathValue("post"))
	if !ok {
		http.NotFound(rw, r)
		return
	}
	if s.world.ShowOnWall(rw, r, p) {
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	page.Execute(rw, map[string]string{"Location": p.Account, "At": p.CreatedAt.Format(time.RFC3339), "Text": p.Text})
}
