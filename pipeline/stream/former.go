package stream

import (
	"context"
	"fmt"

	"github.com/segmentio/kafka-go"
)

// removeFormer removes from a group what this process left in it: as the life before a
// kill, or by joining when the answer was lost. The broker would make whoever joins wait
// for such members until they time out, and may have chosen one to divide the partitions.
func (l *Log) removeFormer(ctx context.Context, group string) error {
	if !l.unique {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, groupTimeout)
	defer cancel()
	described, err := l.client.DescribeGroups(ctx, &kafka.DescribeGroupsRequest{GroupIDs: []string{group}})
	if err != nil {
		return fmt.Errorf("describing the group: %w", err)
	}
	former := l.own(described)
	if len(former) == 0 {
		return nil
	}
	left, err := l.client.LeaveGroup(ctx, &kafka.LeaveGroupRequest{GroupID: group, Members: former})
	if err == nil {
		err = left.Error
	}
	if err != nil {
		return fmt.Errorf("removing %d members: %w", len(former), err)
	}
	return nil
}

// own returns the members that joined under this process's identity.
func (l *Log) own(described *kafka.DescribeGroupsResponse) []kafka.LeaveGroupRequestMember {
	var own []kafka.LeaveGroupRequestMember
	for _, group := range described.Groups {
		for _, member := range group.Members {
			if member.ClientID == l.dialer.ClientID {
				own = append(own, kafka.LeaveGroupRequestMember{ID: member.MemberID})
			}
		}
	}
	return own
}
