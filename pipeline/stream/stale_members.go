package stream

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// evictStaleMembers removes the members that this node has left behind in a group: by an
// earlier process that was killed, or by a join whose answer was lost. Otherwise the broker
// makes each rebalance wait until they time out, and one of them may be the group's leader.
func (l *Log) evictStaleMembers(ctx context.Context, group string) error {
	if !l.unique {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, groupTimeout)
	defer cancel()
	described, err := l.client.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{group}})
	if err != nil {
		return fmt.Errorf("describing the group: %w", err)
	}
	stale := l.ownMembers(described)
	if len(stale) == 0 {
		return nil
	}
	response, err := l.client.LeaveGroup(ctx, &kafka.LeaveGroupRequest{GroupID: group, Members: stale})
	if err == nil {
		err = response.Error
	}
	if err != nil {
		return fmt.Errorf("evicting %d members: %w", len(stale), err)
	}
	return nil
}

// ownMembers returns the members that joined with this Log's client id.
func (l *Log) ownMembers(described *kafka.DescribeGroupsResponse) []kafka.LeaveGroupRequestMember {
	var members []kafka.LeaveGroupRequestMember
	for _, group := range described.Groups {
		for _, member := range group.Members {
			if member.ClientID == l.dialer.ClientID {
				members = append(members, kafka.LeaveGroupRequestMember{ID: member.MemberID})
			}
		}
	}
	return members
}
