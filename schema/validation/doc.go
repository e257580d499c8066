// Package validation holds content against what the platforms of its targets take.
//
//	Content ──▶ Check ─┬─ shape: what is the same for every platform
//	                   ├─ settings, by each platform's SettingRules
//	                   ├─ text and media of each entry, by its Constraints
//	                   └─ first comments ─▶ errors and warnings, each with its field and code
//
// Two checks follow once more is known: CheckAccounts, against what the accounts enable,
// and CheckMedia, against what the content of a file is, when it has been fetched.
package validation
