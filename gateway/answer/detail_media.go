package answer

import "crier/gateway/reference"

// MediaDetails are those of Details that are about media.
var MediaDetails = [...]reference.Problem{
	{Code: "media_required", Meaning: "The platform needs media with every post.", Remedy: "Send mediaItems of a kind that the message names."},
	{Code: "media_invalid", Meaning: "A media item says neither what it is nor where it is, or both in two ways.", Remedy: "Send either url and type, or mediaId."},
	{Code: "media_unknown", Meaning: "There is no media of this id.", Remedy: "Upload it first: POST /media/upload-url. GET /media lists uploads, which are removed after a week unless a post uses them."},
	{Code: "media_not_uploaded", Meaning: "The media was announced, and nothing that can be posted was uploaded for it.", Remedy: "Send the file to its uploadUrl, then create the post."},
	{Code: "media_refused", Meaning: "What was uploaded is not what crier takes, and was removed; the message says why.", Remedy: "Upload a picture, video or PDF of a type that GET /platforms names."},
	{Code: "media_type_differs", Meaning: "The file is of another type than was announced, and is stored as what it is.", Remedy: "Nothing, unless another file was meant."},
	{Code: "media_kind_unsupported", Meaning: "The platform does not take this kind of media (image, video or PDF).", Remedy: "Leave it out for this platform, in a post of its own."},
	{Code: "too_many_media", Meaning: "The post has more media items than the platform takes.", Remedy: "Remove some, or make a post of its own for this platform."},
	{Code: "media_mix", Meaning: "The platform takes only one kind of media in a post.", Remedy: "Send either pictures or a video."},
	{Code: "media_type_unsupported", Meaning: "The platform does not take files of this type.", Remedy: "Convert the file to a type that the message names. An uploaded picture is converted by fit: contain."},
	{Code: "media_type_mismatch", Meaning: "The content is of another kind than type says.", Remedy: "Correct type; with a mediaId it may be left out."},
	{Code: "media_too_large", Meaning: "The file is larger than the platform takes.", Remedy: "Compress it. An uploaded picture is made to fit by fit: contain."},
	{Code: "media_too_long", Meaning: "The video lasts longer, or the GIF has more pictures, than the platform takes.", Remedy: "Cut it."},
	{Code: "media_too_short", Meaning: "The video is shorter than the platform takes.", Remedy: "Use a longer one."},
	{Code: "media_too_small", Meaning: "The picture or video has fewer pixels than the platform takes.", Remedy: "Use a larger one. Where the message says so, fit makes a picture fit."},
	{Code: "media_too_many_pixels", Meaning: "The picture or video has more pixels than the platform takes.", Remedy: "Scale it down. An uploaded picture is made to fit by fit: contain."},
	{Code: "media_aspect_ratio", Meaning: "The picture or video is wider or more upright than the platform takes.", Remedy: "Crop it. An uploaded picture is made to fit by fit: cover (cropped) or contain (with bars). Videos are not."},
	{Code: "media_sizes_differ", Meaning: "The platform wants all pictures of a post in one size, and may refuse these.", Remedy: "Make them the same width and height."},
	{Code: "media_unfit", Meaning: "The picture is to be made to fit, and cannot be.", Remedy: "Use another picture; the message says what is in the way."},
	{Code: "media_resized", Meaning: "The platform gets a copy of the picture that fits; the message says how it differs.", Remedy: "Nothing, unless the picture must not be changed: then leave fit out."},
	{Code: "metadata_kept", Meaning: "The platform gets the file with what it says of where and when it was made.", Remedy: "Upload the file instead of naming a url, or remove the metadata before."},
	{Code: "gif_stands_still", Meaning: "The picture moves, and stands still on this platform.", Remedy: "Send it as a video (MP4)."},
	{Code: "media_codec_unsupported", Meaning: "The video is coded in a way that the platform does not take.", Remedy: "Convert it to H.264 with AAC sound in MP4, or to a codec that the message names."},
	{Code: "media_frame_rate", Meaning: "The video has more, or fewer, pictures a second than the platform takes.", Remedy: "Convert it to 30 a second, or to a rate that the message names."},
	{Code: "media_sampling", Meaning: "The video's colours are stored in a way that the platform does not take.", Remedy: "Convert it to 4:2:0 with 8 bits (yuv420p)."},
	{Code: "media_edited", Meaning: "The video has an edit list that leaves out a part, which the platform may show.", Remedy: "Convert it: a new file has no part that is left out."},
	{Code: "media_fit_ignored", Meaning: "fit stands beside what is not a picture: it is published as it is, or refused.", Remedy: "Leave fit out."},
	{Code: "media_fit_needs_upload", Meaning: "The platform fetches media by itself, so a url cannot be made to fit.", Remedy: "Upload it: POST /media/from-url makes an upload of a url."},
	{Code: "alt_text_too_long", Meaning: "The alternative text is longer than crier or the platform takes.", Remedy: "Shorten it to the length that the message names."},
}
