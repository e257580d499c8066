-- Events are read in the order of their positions, which is that of their arrival: a
-- repetition has the position of the first. Events of before stand at the beginning.
alter table events
    add column if not exists position Int64 default 0,
    add index if not exists events_position position type minmax
