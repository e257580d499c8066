// Package media is the resource of uploads: images in a request of their own, files at an
// address that takes one, content fetched from elsewhere, and serving what is kept. Its
// Library also tells posts which upload a media item means.
package media
