package linkedin

import (
	"cmp"

	"crier/connectors"
	"crier/schema"
)

// newPost is the body of POST /rest/posts, and what a list of posts has of each.
type newPost struct {
	Author         string       `json:"author"`
	Commentary     string       `json:"commentary"`
	Visibility     string       `json:"visibility"`
	Distribution   distribution `json:"distribution"`
	Content        *content     `json:"content,omitempty"`
	LifecycleState string       `json:"lifecycleState"`
	NoReshares     bool         `json:"isReshareDisabledByAuthor"`
}

type distribution struct {
	Feed     string   `json:"feedDistribution"`
	Targets  []string `json:"targetEntities"`
	Channels []string `json:"thirdPartyDistributionChannels"`
}

// content is of one kind.
type content struct {
	Media      *mediaContent   `json:"media,omitempty"`
	MultiImage *imagesContent  `json:"multiImage,omitempty"`
	Article    *articleContent `json:"article,omitempty"`
	Poll       *pollContent    `json:"poll,omitempty"`
}

type mediaContent struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`
	AltText string `json:"altText,omitempty"`
}

type imagesContent struct {
	Images []mediaContent `json:"images"`
}

type articleContent struct {
	Source      string `json:"source"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Thumbnail   string `json:"thumbnail,omitempty"`
}

type pollContent struct {
	Question string       `json:"question"`
	Options  []pollOption `json:"options"`
	Settings pollSettings `json:"settings"`
}

type pollOption struct {
	Text string `json:"text"`
}

type pollSettings struct {
	Duration string `json:"duration"`
}

// media returns the URNs of the media of a post.
func (c *content) media() []string {
	var urns []string
	switch {
	case c == nil:
	case c.Media != nil:
		urns = append(urns, c.Media.ID)
	case c.MultiImage != nil:
		for _, image := range c.MultiImage.Images {
			urns = append(urns, image.ID)
		}
	case c.Article != nil && c.Article.Thumbnail != "":
		urns = append(urns, c.Article.Thumbnail)
	}
	return urns
}

// reference returns what a post refers to beside its text and media.
func (c *content) reference() string {
	switch {
	case c == nil:
		return ""
	case c.Article != nil:
		return c.Article.Source
	case c.Poll != nil:
		return c.Poll.Question
	default:
		return ""
	}
}

// postOf returns what a delivery asks to create.
func postOf(d schema.Delivery, author string, assets []asset) (newPost, error) {
	s, err := connectors.SettingsOf[settings](d)
	if err != nil {
		return newPost{}, err
	}
	if s.Poll != nil && len(assets) > 0 {
		return newPost{}, connectors.Refuse("LinkedIn takes a poll or media, not both")
	}
	return newPost{
		Author: author, Commentary: commentary(d.Text),
		Visibility:   cmp.Or(s.Visibility, defaultVisibility),
		Distribution: distribution{Feed: cmp.Or(s.FeedDistribution, defaultDistribution), Targets: []string{}, Channels: []string{}},
		Content:      contentOf(d, s, assets), LifecycleState: "PUBLISHED", NoReshares: s.IsReshareDisabledByAuthor,
	}, nil
}

func contentOf(d schema.Delivery, s settings, assets []asset) *content {
	switch {
	case s.Article != nil:
		c := &articleContent{Source: s.Article.Source, Title: s.Article.Title, Description: s.Article.Description}
		if len(assets) == 1 {
			c.Thumbnail = assets[0].URN
		}
		return &content{Article: c}
	case s.Poll != nil:
		c := &pollContent{Question: s.Poll.Question, Settings: pollSettings{cmp.Or(s.Poll.Duration, defaultDuration)}}
		for _, option := range s.Poll.Options {
			c.Options = append(c.Options, pollOption{option})
		}
		return &content{Poll: c}
	case len(assets) == 0:
		return nil
	case len(assets) > 1:
		c := &imagesContent{}
		for i, a := range assets {
			c.Images = append(c.Images, mediaContent{ID: a.URN, AltText: d.Media[i].AltText})
		}
		return &content{MultiImage: c}
	default:
		c := &mediaContent{ID: assets[0].URN, AltText: d.Media[0].AltText}
		switch assets[0].Kind {
		case documents:
			c.Title, c.AltText = cmp.Or(s.Title, defaultTitle), ""
		case videos:
			c.Title = s.Title
		}
		return &content{Media: c}
	}
}
