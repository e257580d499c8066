package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"

	"crier/schema"
)

// CheckURL reports whether a URL that somebody named may be called: http or https, with
// a host and without a user part, that does not resolve to addresses which are all
// refused. A name that does not resolve passes: it is checked again at each
// connection. The error is a *schema.Error of kind Invalid.
func (e *Egress) CheckURL(ctx context.Context, rawURL string) error {
	parsed, err := schema.ParseURL(rawURL)
	if err != nil {
		return invalid("the url cannot be read")
	}
	if err := checkForm(parsed); err != nil {
		return invalid(err.Error())
	}
	host, err := ASCIIHost(parsed.Hostname())
	if err != nil {
		return invalid("the url's host is no name and no address")
	}
	ctx, cancel := context.WithTimeout(ctx, e.connectTimeout)
	defer cancel()
	_, err = e.addresses(ctx, host, false)
	if refusal, ok := errors.AsType[*schema.Error](err); ok {
		return invalid(refusal.Message)
	}
	return nil
}

func invalid(message string) *schema.Error {
	return &schema.Error{Kind: schema.Invalid, Message: message}
}

// checkForm checks what a URL shows without resolving its host.
func checkForm(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return errors.New("the url has to start with https:// or http://")
	case u.User != nil:
		return errors.New("the url has a user part")
	case u.Hostname() == "":
		return errors.New("the url has no host")
	case u.Port() != "" && !isPort(u.Port()):
		return errors.New("the url's port is not from 1 to 65535")
	}
	return nil
}

func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0
}

// ASCIIHost returns a host as it is dialed and looked up: an address as it is, a name in small letters
// with its labels outside of ASCII by IDNA. Labels of ASCII are taken as servers have them, also with an
// underscore or with hyphens where IDNA wants none, such as my_shop or r3---sn-abc.
func ASCIIHost(host string) (string, error) {
	if _, err := netip.ParseAddr(host); err == nil {
		return host, nil
	}
	if !isASCII(host) {
		host = strings.Map(dotOf, norm.NFC.String(host))
	}
	if host == "" {
		return "", errors.New("the name is empty")
	}
	labels := strings.Split(strings.ToLower(host), ".")
	for i, label := range labels {
		ascii, err := asciiLabel(label, i == len(labels)-1)
		if err != nil {
			return "", err
		}
		labels[i] = ascii
	}
	name := strings.Join(labels, ".")
	if len(name) > maxHostLength {
		return "", errors.New("the name is too long")
	}
	return name, nil
}

// What DNS can hold (RFC 1035, 2.3.4).
const (
	maxHostLength  = 254 // with the dot of the root
	maxLabelLength = 63
)

// asciiLabel returns a label of a name. The last one may be empty: it is the root's.
func asciiLabel(label string, isLast bool) (string, error) {
	if !isASCII(label) {
		return idna.Lookup.ToASCII(label)
	}
	isWrong := strings.ContainsFunc(label, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	if isWrong || label == "" && !isLast || len(label) > maxLabelLength {
		return "", fmt.Errorf("%q is no label of a name", label)
	}
	return label, nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}

// dotOf makes the full stops of other scripts dots (UTS 46, 2.3).
func dotOf(r rune) rune {
	switch r {
	case '\u3002', '\uff0e', '\uff61':
		return '.'
	default:
		return r
	}
}

// checkRedirect is asked before each redirect is followed. Its target's address is
// checked when it is dialed.
func checkRedirect(next *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects {
		return refused("the url redirects too often")
	}
	if err := checkForm(next.URL); err != nil {
		return refused("the url redirects to one that is refused: " + err.Error())
	}
	if via[len(via)-1].URL.Scheme == "https" && next.URL.Scheme == "http" {
		return refused("the url redirects from https to http")
	}
	// It names the URL that redirected, which may hold a token.
	next.Header.Del("Referer")
	return nil
}

// addresses returns those addresses of a host that may be connected to; a
// *schema.Error of kind Refused when it has only others.
func (e *Egress) addresses(ctx context.Context, host string, exempt bool) ([]netip.Addr, error) {
	found, err := e.resolve(ctx, host)
	if err != nil || exempt {
		return found, err
	}
	var permitted []netip.Addr
	for _, address := range found {
		if e.networks.permit(address) {
			permitted = append(permitted, address.Unmap())
		}
	}
	if len(permitted) == 0 {
		return nil, refused("the url's address is not public")
	}
	return permitted, nil
}

func (e *Egress) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if address, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{address}, nil
	}
	if endsInNumber(host) {
		return nil, refused("the url's host is a number and no address")
	}
	if isTLD(host, "localhost") { // always this machine (RFC 6761, 6.3), which not all resolvers know
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if isTLD(host, "invalid") { // no server needs to be asked (RFC 6761, 6.4), and some are slow to tell
		return nil, fmt.Errorf("resolving host: %w", &net.DNSError{Err: "no such host", Name: host, IsNotFound: true})
	}
	found, err := e.resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, fmt.Errorf("resolving host: %w", err)
	}
	if len(found) == 0 {
		return nil, errors.New("resolving host: no address")
	}
	return found, nil
}

// isTLD reports whether a host is a top-level domain, or a name in it.
func isTLD(host, domain string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	return name == domain || strings.HasSuffix(name, "."+domain)
}

// endsInNumber reports whether a host is one that other software reads as an IPv4
// address in an unusual form, such as 0x7f.1 or 2130706433 (url.spec.whatwg.org,
// "ends in a number"); no name of the public DNS does.
func endsInNumber(host string) bool {
	host = strings.TrimSuffix(host, ".")
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return false
	}
	if digits, ok := strings.CutPrefix(strings.ToLower(last), "0x"); ok {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}

// dialer connects to addresses that were permitted, and looks once more at what the
// socket is really about to connect to.
func (e *Egress) dialer(exempt bool) *net.Dialer {
	if exempt {
		return &net.Dialer{}
	}
	return &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		target, err := netip.ParseAddrPort(address)
		if err != nil || !e.networks.permit(target.Addr()) {
			return refused("the url's address is not public")
		}
		return nil
	}}
}

func refused(message string) *schema.Error {
	return &schema.Error{Kind: schema.Refused, Message: message}
}
