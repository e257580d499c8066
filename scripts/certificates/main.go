// Command certificates writes the certificates of package securetest into a folder, for
// servers that a script starts.
package main

import (
	"fmt"
	"os"

	"crier/schema/secure/securetest"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: certificates FOLDER")
		os.Exit(2)
	}
	if err := securetest.Folder(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "certificates:", err)
		os.Exit(1)
	}
}
