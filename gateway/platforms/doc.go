// Package platforms serves what posts of the workspace are held to on each platform.
package platforms
