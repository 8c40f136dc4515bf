#!lua flags=allow-oom
-- Appends one commit to a game's stream if the log still ends where the decision was made. One write, the XADD: a
-- script does not roll back, and a crash between two writes would leave half a commit.
--
-- It may write where maxmemory is reached: the service makes no new games then, and the running ones go on.
--
-- KEYS[1]   the game's stream
-- KEYS[2]   the marker of a frozen game
-- ARGV[1]   the expected version, "0" for an empty log
-- ARGV[2]   the expected head, raw; not looked at for version 0
-- ARGV[3]   the id of the new entry, "<seq of its last event>-0"
-- ARGV[4…]  its fields and values
--
-- Answers {"appended"}, {"frozen", version}, {"lost", version} or {"moved", entries from the expected one on}.

local version, head, whole = "0", false, true
if redis.call("EXISTS", KEYS[1]) == 1 then
  local info = redis.call("XINFO", "STREAM", KEYS[1])
  local generated, last
  for i = 1, #info, 2 do
    if info[i] == "last-generated-id" then generated = info[i + 1] end
    if info[i] == "last-entry" then last = info[i + 1] end
  end
  if last then
    version = string.match(last[1], "^(%d+)")
    for i = 1, #last[2], 2 do
      if last[2][i] == "head" then head = last[2][i + 1] end
    end
  end
  -- An entry that was deleted leaves last-generated-id above the last entry: history is lost, whatever was expected.
  whole = generated == version .. "-0"
end

if redis.call("EXISTS", KEYS[2]) == 1 then return { "frozen", version } end
if not whole then return { "lost", version } end
if tonumber(version) > tonumber(ARGV[1]) then
  local from = "-"
  if ARGV[1] ~= "0" then from = ARGV[1] .. "-0" end
  return { "moved", redis.call("XRANGE", KEYS[1], from, "+") }
end
if version ~= ARGV[1] or (version ~= "0" and head ~= ARGV[2]) then return { "lost", version } end
redis.call("XADD", KEYS[1], ARGV[3], unpack(ARGV, 4))
return { "appended" }
