// Package web serves the console: the pages in which people plan posts and see what became of them. The
// console is a program of the browser's, in src, that uses the REST API and nothing else.
//
//	package.json, vite.config.ts   how npm makes dist/app of it (make console)
//	src                            its source; src/words has every sentence in each language
//	dist                           what goes into the binary: dist/app, which is not kept in git, or,
//	                               where it has not been made, a page that says so
package web
