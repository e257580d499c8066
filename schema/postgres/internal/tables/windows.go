package tables

// CountInWindow adds to a window that begins with its first count and lasts for @length.
const CountInWindow = `
	insert into request_windows as w (subject, began_at, used) values (@subject, @now, @n)
	on conflict (subject) do update set
		began_at = case when w.began_at > @now::timestamptz - @length::interval then w.began_at else excluded.began_at end,
		used = case when w.began_at > @now::timestamptz - @length::interval then w.used else 0 end + excluded.used
	returning began_at, used`
