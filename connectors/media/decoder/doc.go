// Package decoder decodes HEIC and AVIF, the formats of phones, in a process of its own:
//
//	file → stdin of this program, started again → WebAssembly → planes → stdout → image.Image
//
// The decoders are libheif with libde265, and libavif with aom, compiled to WebAssembly: what is wrong
// in them stays in their memory, and what they take is bounded by the process's: pixels before it
// begins, memory and processor time while it runs. It has no environment and opens nothing.
//
// Whoever starts decoding calls Main first thing in main.
package decoder
