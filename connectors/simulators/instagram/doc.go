// Package instagram is Instagram's content publishing API in small, on a simulated world. What
// it knows of Instagram it has from Meta's documents, nothing from the connector it is to
// judge.
package instagram
