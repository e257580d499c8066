package validation

import (
	"fmt"
	"slices"
	"strings"

	"crier/schema"
)

// cured returns details with what would help against each, where nobody asked for a fit.
func (c rules) cured(f schema.MediaFacts, fit schema.Fit, details []schema.Detail) []schema.Detail {
	if len(details) == 0 || fit != schema.FitNone {
		return details
	}
	var ways []string
	var unfit []schema.Detail
	for _, way := range []schema.Fit{schema.FitContain, schema.FitCover} {
		plan, needed, why := Fit(*c.platform, f, way)
		switch {
		case len(why) == 0:
			return details // it is the account that takes less, for which nothing is made to fit
		case needed && len(CheckMedia(c.Media, c.Platform, plan.facts())) == 0:
			ways = append(ways, fmt.Sprintf("%q", way))
		case len(unfit) == 0:
			unfit = why
		}
	}
	cured := slices.Clone(details)
	for i, d := range cured {
		if fits(d.Code, len(ways) > 0) {
			cured[i].Message += byFit(ways, unfit, f)
		}
		cured[i].Message += c.byConverting(f, d.Code)
	}
	return cured
}

// WithCure returns why a platform does not take a file, with what would help.
func WithCure(c schema.Constraints, f schema.MediaFacts) []schema.Detail {
	return rules{&c, &c}.cured(f, schema.FitNone, CheckMedia(c.Media, c.Platform, f))
}

// fits reports whether something is to be said of fit where a file is refused by a code.
func fits(code string, isCured bool) bool {
	curable := []string{CodeMediaTypeUnsupported, CodeMediaTooLarge, CodeMediaTooSmall, CodeMediaAspect, CodeMediaTooManyPixels}
	return slices.Contains(curable, code) || code == CodeMediaKindUnsupported && isCured
}

// byFit says which ways of making a picture fit help, or why none does.
func byFit(ways []string, unfit []schema.Detail, f schema.MediaFacts) string {
	if len(ways) > 0 {
		return `; with "fit": ` + strings.Join(ways, " or ") + " it gets a copy that it takes"
	}
	if f.Kind == schema.Video || f.Kind == schema.PDF {
		return "; fit does not help: it is for pictures"
	}
	advice := "; fit does not help"
	if at := slices.IndexFunc(unfit, func(d schema.Detail) bool { return d.Code == CodeMediaUnfit }); at >= 0 {
		advice += ": " + unfit[at].Message
	}
	return advice
}

// byConverting says what a film, or a picture that moves, may be converted to, where that helps.
func (c rules) byConverting(f schema.MediaFacts, code string) string {
	if f.Kind == schema.PDF || f.Kind == schema.Image && !f.Animated {
		return ""
	}
	coded := []string{CodeMediaTypeUnsupported, CodeMediaKindUnsupported, CodeMediaCodec, CodeMediaFrameRate, CodeMediaSampling, CodeMediaEdited}
	if !slices.Contains(coded, code) {
		return ""
	}
	film := f
	film.Kind, film.Type, film.Animated = schema.Video, "video/mp4", false
	film.Film = schema.FilmFacts{Codec: "h264", FrameRate: 30, Chroma: "4:2:0", Depth: 8}
	isRefused := func(d schema.Detail) bool { return slices.Contains(coded, d.Code) }
	if slices.ContainsFunc(CheckMedia(c.Media, c.Platform, film), isRefused) {
		return ""
	}
	return "; converted to MP4 (H.264, 4:2:0 with 8 bits, 30 pictures a second, sound as AAC) its coding is taken"
}
