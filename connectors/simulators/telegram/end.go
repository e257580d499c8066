package telegram

import (
	"net/http"
	"strconv"

	"crier/connectors/simulators/simulation"
	"crier/schema"
)

// ending is how the Bot API refuses a bot that may post to a chat no more.
func ending() simulation.Ending {
	return simulation.Ending{
		Ends: map[simulation.End]simulation.EndAnswer{
			simulation.Deactivated:    {Says: "user is deactivated", End: schema.EndDeleted},
			simulation.Revoked:        {Says: "Unauthorized", End: schema.NotEnded},
			simulation.ScopeWithdrawn: {Says: "need administrator rights", End: schema.EndRemoved},
			simulation.Kicked:         {Says: "bot was kicked from the channel chat", End: schema.EndRemoved},
			simulation.NotMember:      {Says: "bot is not a member", End: schema.EndRemoved},
			simulation.ChatDeleted:    {Says: "chat not found", End: schema.EndRemoved},
		},
		Refuse: refuseEnded,
	}
}

func refuseEnded(rw http.ResponseWriter, end simulation.End) {
	switch end {
	case simulation.Kicked:
		refuse(rw, http.StatusForbidden, "Forbidden: bot was kicked from the channel chat")
	case simulation.NotMember:
		refuse(rw, http.StatusForbidden, "Forbidden: bot is not a member of the channel chat")
	case simulation.ChatDeleted:
		refuse(rw, http.StatusBadRequest, "Bad Request: chat not found")
	case simulation.Deactivated:
		refuse(rw, http.StatusForbidden, "Forbidden: user is deactivated")
	case simulation.ScopeWithdrawn:
		refuse(rw, http.StatusBadRequest, "Bad Request: need administrator rights in the channel chat")
	default:
		refuse(rw, http.StatusUnauthorized, "Unauthorized")
	}
}

// isStopped turns a call for a chat away whose end stops it. A public channel shows itself
// to every bot.
func (s *simulator) isStopped(v visit, to *chat, method string) bool {
	end := s.world.EndOf(to.key, strconv.FormatInt(to.id, 10))
	isShown := method == "getChat" && (end == simulation.Kicked || end == simulation.NotMember || end == simulation.ScopeWithdrawn)
	if end == simulation.Alive || isShown {
		return false
	}
	refuseEnded(v.rw, end)
	return true
}

func (s *simulator) getChatMember(v visit) {
	to, ok := s.chat(v)
	if !ok {
		return
	}
	end := s.world.EndOf(to.key, strconv.FormatInt(to.id, 10))
	switch end {
	case simulation.Alive, simulation.ScopeWithdrawn:
	case simulation.NotMember:
		refuse(v.rw, http.StatusBadRequest, "Bad Request: member list is inaccessible")
		return
	default:
		refuseEnded(v.rw, end)
		return
	}
	member := map[string]any{
		"user": botUser(v), "status": "administrator", "can_be_edited": false, "is_anonymous": false,
		"can_post_messages": end == simulation.Alive,
	}
	for _, right := range []string{
		"manage_chat", "delete_messages", "manage_video_chats", "restrict_members", "promote_members",
		"change_info", "invite_users", "post_stories", "edit_stories", "delete_stories",
	} {
		member["can_"+right] = right == "manage_chat"
	}
	accept(v.rw, member)
}
