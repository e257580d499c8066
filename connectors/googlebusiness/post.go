package googlebusiness

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"
	"time"

	"crier/connectors"
	"crier/schema"
)

// localPost is the body of POST …/localPosts, and what a list has of each.
type localPost struct {
	LanguageCode string        `json:"languageCode,omitempty"`
	Summary      string        `json:"summary,omitempty"`
	TopicType    string        `json:"topicType"`
	CallToAction *callToAction `json:"callToAction,omitempty"`
	Event        *event        `json:"event,omitempty"`
	Offer        *offer        `json:"offer,omitempty"`
	Media        []picture     `json:"media,omitempty"`
}

type callToAction struct {
	ActionType string `json:"actionType"`
	URL        string `json:"url,omitempty"`
}

type event struct {
	Title    string   `json:"title"`
	Schedule schedule `json:"schedule"`
}

// schedule has to have all its parts, times of day too.
type schedule struct {
	StartDate date      `json:"startDate"`
	StartTime timeOfDay `json:"startTime"`
	EndDate   date      `json:"endDate"`
	EndTime   timeOfDay `json:"endTime"`
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

type offer struct {
	CouponCode      string `json:"couponCode,omitempty"`
	RedeemOnlineURL string `json:"redeemOnlineUrl,omitempty"`
	TermsConditions string `json:"termsConditions,omitempty"`
}

// picture is of a post by its address alone: nothing can be uploaded for one.
type picture struct {
	MediaFormat string `json:"mediaFormat"`
	SourceURL   string `json:"sourceUrl"`
}

// The states of a local post. One may be rejected at once, with an answer that is good otherwise
// (github.com/gitroomhq/postiz-app, pull request 1825).
const (
	stateUnspecified = "LOCAL_POST_STATE_UNSPECIFIED"
	stateProcessing  = "PROCESSING"
	stateRejected    = "REJECTED"
)

// isLookedAt reports whether Google has yet to decide whether it shows the post.
func (p storedPost) isLookedAt() bool {
	return p.State == "" || p.State == stateUnspecified || p.State == stateProcessing
}

// storedPost is what Google tells of a local post.
type storedPost struct {
	localPost
	Name       string    `json:"name"` // accounts/{a}/locations/{l}/localPosts/{p}
	State      string    `json:"state"`
	SearchURL  string    `json:"searchUrl"`
	CreateTime time.Time `json:"createTime"`
}

// id returns the post's own part of its name, by which it is known whichever account of
// Google's its location is reached through.
func (p storedPost) id() string {
	_, id, _ := strings.Cut(p.Name, "/localPosts/")
	return id
}

// postOf returns what a delivery asks to create.
func postOf(d schema.Delivery) (localPost, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return localPost{}, err
	}
	progress, err := progressOf(d)
	if err != nil {
		return localPost{}, err
	}
	post := localPost{
		LanguageCode: s.LanguageCode, Summary: d.Text, TopicType: s.topic(),
		CallToAction: s.CallToAction, Offer: s.Offer,
	}
	if s.Event != nil {
		post.Event = &event{Title: s.Event.Title, Schedule: schedule{
			StartDate: dateOf(s.Event.StartDate), StartTime: timeOf(cmp.Or(s.Event.StartTime, firstMinute)),
			EndDate: dateOf(s.Event.EndDate), EndTime: timeOf(cmp.Or(s.Event.EndTime, lastMinute)),
		}}
	}
	for _, address := range progress.Pictures {
		post.Media = append(post.Media, picture{MediaFormat: "PHOTO", SourceURL: address})
	}
	return post, nil
}

// dateOf reads a date that was checked when the post was made.
func dateOf(text string) date {
	day, _ := time.Parse(time.DateOnly, text)
	return date{day.Year(), int(day.Month()), day.Day()}
}

// timeOf reads a time that was checked when the post was made.
func timeOf(text string) timeOfDay {
	hours, minutes, _ := strings.Cut(text, ":")
	h, _ := strconv.Atoi(hours)
	m, _ := strconv.Atoi(minutes)
	return timeOfDay{h, m}
}

// webURL returns an address if a browser can open it.
func webURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}
