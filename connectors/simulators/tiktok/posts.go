package tiktok

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"crier/connectors/simulators/simulation"
)

const (
	maxTitle   = 2200 // UTF-16 code units
	maxVideo   = 4_000_000_000
	wholeVideo = 64_000_000 // bytes of a video that is sent as one part
	eachPart   = 10 << 20   // bytes of each part of a larger one but the last
	maxParts   = 1000

	minSide, maxSide           = 360, 4096 // pixels
	minFrameRate, maxFrameRate = 23, 60
	measuring                  = 0.02      // by how much a measured rate may miss
	urlLife                    = time.Hour // of an upload_url

	// processing and moderation are short, for those who wait; TikTok takes a minute for each.
	processing = time.Second
	moderation = time.Second
)

// publishPrefix begins what TikTok calls a publication of bytes.
const publishPrefix = "v_pub_file~v2-1."

// postInfo is what a video is published with.
type postInfo struct {
	Title        string `json:"title"`
	Privacy      string `json:"privacy_level"`
	NoDuet       bool   `json:"disable_duet"`
	NoStitch     bool   `json:"disable_stitch"`
	NoComment    bool   `json:"disable_comment"`
	Cover        int32  `json:"video_cover_timestamp_ms,omitempty"`
	BrandContent *bool  `json:"brand_content_toggle"`
	BrandOrganic bool   `json:"brand_organic_toggle,omitempty"`
	Generated    bool   `json:"is_aigc,omitempty"`
}

type sourceInfo struct {
	Source string `json:"source"`
	Size   int64  `json:"video_size"`
	Part   int64  `json:"chunk_size"`
	Parts  int64  `json:"total_chunk_count"`
}

// uploadFields is what an upload has beside what every upload has.
type uploadFields struct {
	Token  string     `json:"token"`
	Post   postInfo   `json:"post"`
	Source sourceInfo `json:"source"`
	Whole  bool       `json:"whole,omitempty"`
	Failed string     `json:"failed,omitempty"` // fail_reason
}

func (s *simulator) put(u simulation.Upload, fields uploadFields) (simulation.Upload, error) {
	encoded, err := json.Marshal(fields)
	if err != nil {
		return u, err
	}
	u.Fields = encoded
	return s.world.PutUpload(u)
}

// begin takes what a post is to be, and hands out where its bytes go.
func (s *simulator) begin(v visit) {
	var input struct {
		Post   postInfo   `json:"post_info"`
		Source sourceInfo `json:"source_info"`
	}
	if json.Unmarshal(v.fields, &input) != nil {
		invalid("The request body is no JSON object of the described form.").writeTo(v.rw)
		return
	}
	if refused := s.refuse(v, input.Post, input.Source); refused != nil {
		refused.writeTo(v.rw)
		return
	}
	fields := uploadFields{Token: strconv.FormatInt(s.world.NewID(), 36), Post: input.Post, Source: input.Source}
	u, err := s.put(simulation.Upload{Account: v.account.ID, Content: s.world.NewContent()}, fields)
	if err != nil {
		outage().writeTo(v.rw)
		return
	}
	v.answer(map[string]any{
		"publish_id": publishPrefix + u.ID,
		"upload_url": fmt.Sprintf("%s/video/?upload_id=%s&upload_token=%s", s.world.BaseURL(), u.ID, fields.Token),
	})
}

// refuse returns why a post cannot be begun; nil: it can.
func (s *simulator) refuse(v visit, post postInfo, source sourceInfo) *refusal {
	forbidden := func(code, message string) *refusal { return &refusal{http.StatusForbidden, code, message} }
	isUnaudited := strings.HasPrefix(v.name, unaudited)
	switch {
	case s.world.EndOf(v.account.ID) == simulation.Suspended:
		refused := banned(http.StatusForbidden)
		return &refused
	case isUnaudited && (post.Privacy != oneself || strings.HasPrefix(v.name, unauditedPublic)):
		return forbidden("unaudited_client_can_only_post_to_private_accounts", "Please review our integration guidelines at https://developers.tiktok.com/doc/content-sharing-guidelines/")
	case post.Privacy == "" || post.BrandContent == nil:
		return invalid("Missing required fields: privacy_level or brand_content_toggle.")
	case !slices.Contains(v.levels(), post.Privacy):
		return forbidden("privacy_level_option_mismatch", "Privacy level is not among the creator's options.")
	case len(utf16.Encode([]rune(post.Title))) > maxTitle:
		return invalid("The title is longer than 2200 UTF-16 runes.")
	case *post.BrandContent && post.Privacy == oneself:
		return invalid("Branded content visibility cannot be private.")
	case source.Source != "FILE_UPLOAD":
		return forbidden("url_ownership_unverified", "Please review our URL ownership verification rules.")
	default:
		return refuseParts(source)
	}
}

// refuseParts holds the parts that a video is to come in to what TikTok takes: by the media transfer guide,
// parts of 5 to 64 MB; since August 2026 most sizes are refused (DayMoonDevelopment/post-for-me issue 327),
// and 10 MiB is what is known to work (gitroomhq/postiz-app pull request 1784).
func refuseParts(source sourceInfo) *refusal {
	switch isOne := source.Parts == 1; {
	case source.Size < 1 || source.Size > maxVideo || source.Part < 1 || source.Parts < 1 || source.Parts > maxParts:
		return &refusal{http.StatusBadRequest, "invalid_params", "The video size, the chunk size or the total chunk count is invalid"}
	case isOne && (source.Part != source.Size || source.Size > wholeVideo), !isOne && source.Part != eachPart:
		return &refusal{http.StatusBadRequest, "invalid_params", "The chunk size is invalid"}
	case source.Parts != source.Size/source.Part:
		return &refusal{http.StatusBadRequest, "invalid_params", "The total chunk count is invalid"}
	default:
		return nil
	}
}

// upload returns what an account publishes.
func (s *simulator) upload(v visit, publishID string) (simulation.Upload, uploadFields, *refusal) {
	id, isOurs := strings.CutPrefix(publishID, publishPrefix)
	u, ok := s.world.Upload(id)
	var fields uploadFields
	switch {
	case !isOurs || !ok || json.Unmarshal(u.Fields, &fields) != nil:
		return u, fields, &refusal{http.StatusBadRequest, "invalid_publish_id", "The publish_id does not exist."}
	case u.Account != v.account.ID:
		return u, fields, &refusal{
			http.StatusBadRequest, "token_not_authorized_for_specified_publish_id", "The token does not have permission to the publish_id.",
		}
	default:
		return u, fields, nil
	}
}

// showStatus says how far a publication is.
func (s *simulator) showStatus(v visit) {
	var input struct {
		ID string `json:"publish_id"`
	}
	if json.Unmarshal(v.fields, &input) != nil {
		invalid("publish_id is missing").writeTo(v.rw)
		return
	}
	u, fields, refused := s.upload(v, input.ID)
	if refused != nil {
		refused.writeTo(v.rw)
		return
	}
	status := map[string]any{"status": "PROCESSING_UPLOAD", "uploaded_bytes": u.Size}
	switch now := s.world.Now(); {
	case !fields.Whole || now.Before(u.ReadyAt):
	case fields.Failed != "":
		status["status"], status["fail_reason"] = "FAILED", fields.Failed
	default:
		status["status"] = "PUBLISH_COMPLETE"
		if fields.Post.Privacy != oneself && !now.Before(u.ReadyAt.Add(moderation)) {
			status["publicaly_available_post_id"] = []json.Number{json.Number(u.ID)}
		}
	}
	if strings.Contains(fields.Post.Title, otherNames) {
		status = renamed(status)
	}
	v.answer(status)
}

// otherNames is in the text of a video whose publication is told of by names that no document has and clients
// know (DayMoonDevelopment/post-for-me d72ab66, trypost-it/trypost 0277643, getopenpost/openpost af01882).
const otherNames = "[crier:other-names]"

func renamed(status map[string]any) map[string]any {
	switch status["status"] {
	case "PUBLISH_COMPLETE":
		status["status"] = "PUBLISH_SUCCESS"
	case "FAILED":
		status["status"] = "PUBLISH_FAILED"
	}
	if ids, ok := status["publicaly_available_post_id"]; ok {
		delete(status, "publicaly_available_post_id")
		status["publicly_available_post_id"] = ids
	}
	return status
}
