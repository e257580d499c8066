// Package telegram is the Bot API of Telegram in small, on a simulated world. What it
// knows it has from core.telegram.org/bots/api, nothing from the connector it is to
// judge: a misreading of one is then no misreading of both.
package telegram
