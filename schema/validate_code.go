package schema

// The codes of details that validation finds. CodeSettingUnknown,
// CodeFirstCommentSkipped and CodeFirstCommentLong are warnings, all others are errors.
const (
	CodeContentRequired         = "content_required"
	CodeTextRequired            = "text_required"
	CodeTextTooLong             = "text_too_long"
	CodeHashtagsTooMany         = "hashtags_too_many"
	CodeMediaRequired           = "media_required"
	CodeMediaInvalid            = "media_invalid"
	CodeMediaKindUnsupported    = "media_kind_unsupported"
	CodeMediaTooMany            = "too_many_media"
	CodeMediaMix                = "media_mix"
	CodeMediaTypeUnsupported    = "media_type_unsupported"
	CodeMediaTypeMismatch       = "media_type_mismatch"
	CodeMediaTooLarge           = "media_too_large"
	CodeMediaTooLong            = "media_too_long"
	CodeMediaTooSmall           = "media_too_small"
	CodeMediaAspect             = "media_aspect_ratio"
	CodeAltTextTooLong          = "alt_text_too_long"
	CodeThreadUnsupported       = "thread_unsupported"
	CodeThreadLength            = "thread_length"
	CodeFirstCommentUnsupported = "first_comment_unsupported"
	CodeFirstCommentSkipped     = "first_comment_skipped"
	CodeFirstCommentTooLong     = "first_comment_too_long"
	CodeFirstCommentLong        = "first_comment_long"
	CodeFirstCommentEmpty       = "first_comment_empty"
	CodeFirstCommentTarget      = "first_comment_target_invalid"
	CodeSettingRequired         = "setting_required"
	CodeSettingInvalid          = "setting_invalid"
	CodeSettingUnknown          = "setting_unknown"
	CodeSettingNotEnabled       = "setting_not_enabled"
)
