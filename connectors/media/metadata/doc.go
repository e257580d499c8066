// Package metadata removes from media what says where, when and by whom it was made, and decodes
// and encodes nothing:
//
//	content → Find → Plan: parts that are cut or overwritten → View: the content without them
//
// Pictures are cut: what is not needed to show them is left out, and of Exif the orientation stays.
// Which parts are needed is listed, so that what no one has heard of goes too. In films nothing
// moves, since their tables name offsets: what goes is overwritten where it stands. A View is made
// of the content as it is read; what is stored is never written again.
//
// Color profiles and orientation stay. So do timed metadata tracks and subtitles, which Find names.
package metadata
