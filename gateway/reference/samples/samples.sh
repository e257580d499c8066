# The samples of the reference for curl. A test runs each by itself, in this order, with ids of what
# the ones before were answered: POST_ID is the last of a post. "refused" is answered with an error,
# in the state that the test has crier in.
# sample: createPost
curl -s "$CRIER_URL/api/v1/posts" -H "Authorization: Bearer $CRIER_KEY" -H 'Idempotency-Key: order-17-curl' \
  -d '{"content": "Good morning", "platforms": ["mastodon", "bluesky"], "scheduledFor": "'"$(date -u -d '1 hour' +%FT%TZ)"'"}'
# sample: listPosts
curl -s "$CRIER_URL/api/v1/posts?status=scheduled&limit=100" -H "Authorization: Bearer $CRIER_KEY"   # and again with cursor=nextCursor
# sample: validatePost
curl -s "$CRIER_URL/api/v1/posts/validate" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"content": "Good morning", "platforms": ["bluesky"], "status": "draft"}'
# sample: createPosts
curl -s "$CRIER_URL/api/v1/posts/bulk" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"posts": [{"content": "Monday", "platforms": ["bluesky"], "scheduledFor": "'"$(date -u -d '1 day' +%FT%TZ)"'"}]}'
# sample: lookupPosts
curl -s "$CRIER_URL/api/v1/posts/lookup" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"ids": ["'$POST_ID'"]}'
# sample: getPost
curl -s "$CRIER_URL/api/v1/posts/$POST_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: error
curl -s "$CRIER_URL/api/v1/posts/post_1" -H "Authorization: Bearer $CRIER_KEY"
# end refused
# sample: updatePost
curl -s -X PATCH "$CRIER_URL/api/v1/posts/$POST_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"content": "Good evening"}'
# sample: retryPost
curl -s "$CRIER_URL/api/v1/posts/$POST_ID/retry" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"platforms": ["bluesky"]}'
# end refused
# sample: listPostAttempts
curl -s "$CRIER_URL/api/v1/posts/$POST_ID/attempts" -H "Authorization: Bearer $CRIER_KEY"
# sample: deletePost
curl -s -X DELETE "$CRIER_URL/api/v1/posts/$POST_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: createThread
curl -s "$CRIER_URL/api/v1/threads" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"posts": [{"content": "One"}, {"content": "Two"}], "platforms": ["mastodon"], "scheduledFor": "'"$(date -u -d '1 hour' +%FT%TZ)"'"}'
# sample: getThread
curl -s "$CRIER_URL/api/v1/threads/$THREAD_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: updateThread
curl -s -X PATCH "$CRIER_URL/api/v1/threads/$THREAD_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"title": "Harbour"}'
# sample: deleteThread
curl -s -X DELETE "$CRIER_URL/api/v1/threads/$THREAD_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: listAccounts
curl -s "$CRIER_URL/api/v1/accounts?platform=mastodon" -H "Authorization: Bearer $CRIER_KEY"
# sample: getAccount
curl -s "$CRIER_URL/api/v1/accounts/$ACCOUNT_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: updateAccount
curl -s -X PATCH "$CRIER_URL/api/v1/accounts/$ACCOUNT_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "Harbour"}'
# sample: pauseAccount
curl -s "$CRIER_URL/api/v1/accounts/$ACCOUNT_ID/pause" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"reason": "The brand says nothing today"}'
# sample: resumeAccount
curl -s -X POST "$CRIER_URL/api/v1/accounts/$ACCOUNT_ID/resume" -H "Authorization: Bearer $CRIER_KEY"
# sample: checkAccounts
curl -s "$CRIER_URL/api/v1/accounts/health" -H "Authorization: Bearer $CRIER_KEY"
# sample: checkAccount
curl -s "$CRIER_URL/api/v1/accounts/$ACCOUNT_ID/health" -H "Authorization: Bearer $CRIER_KEY"
# sample: listConnectWays
curl -s "$CRIER_URL/api/v1/connect" -H "Authorization: Bearer $CRIER_KEY"
# sample: beginConnect
curl -s "$CRIER_URL/api/v1/connect/mastodon?server=mastodon.social" -H "Authorization: Bearer $CRIER_KEY"
# sample: listRedirects
curl -s "$CRIER_URL/api/v1/connect/redirects" -H "Authorization: Bearer $CRIER_KEY"
# sample: putRedirects
curl -s -X PUT "$CRIER_URL/api/v1/connect/redirects" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"redirects": ["https://app.example/connected"]}'
# sample: listPlatforms
curl -s "$CRIER_URL/api/v1/platforms" -H "Authorization: Bearer $CRIER_KEY"
# sample: getPlatform
curl -s "$CRIER_URL/api/v1/platforms/mastodon" -H "Authorization: Bearer $CRIER_KEY"
# sample: createBrand
curl -s "$CRIER_URL/api/v1/brands" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "Harbour"}'
# sample: listBrands
curl -s "$CRIER_URL/api/v1/brands" -H "Authorization: Bearer $CRIER_KEY"
# sample: getBrand
curl -s "$CRIER_URL/api/v1/brands/$BRAND_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: renameBrand
curl -s -X PATCH "$CRIER_URL/api/v1/brands/$BRAND_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "Harbour Café"}'
# sample: deleteBrand
curl -s -X DELETE "$CRIER_URL/api/v1/brands/$BRAND_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: createQueue
curl -s "$CRIER_URL/api/v1/queues" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "Mornings", "timezone": "Europe/Berlin", "slots": [{"day": "monday", "time": "09:00"}]}'
# sample: listQueues
curl -s "$CRIER_URL/api/v1/queues" -H "Authorization: Bearer $CRIER_KEY"
# sample: getQueue
curl -s "$CRIER_URL/api/v1/queues/$QUEUE_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: updateQueue
curl -s -X PATCH "$CRIER_URL/api/v1/queues/$QUEUE_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "Early"}'
# sample: previewSlots
curl -s "$CRIER_URL/api/v1/queues/$QUEUE_ID/slots?limit=5" -H "Authorization: Bearer $CRIER_KEY"
# sample: deleteQueue
curl -s -X DELETE "$CRIER_URL/api/v1/queues/$QUEUE_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: uploadMedia
curl -s "$CRIER_URL/api/v1/media" -H "Authorization: Bearer $CRIER_KEY" -F file=@harbour.png -F altText="The harbour"
# sample: listMedia
curl -s "$CRIER_URL/api/v1/media" -H "Authorization: Bearer $CRIER_KEY"
# sample: getMedia
curl -s "$CRIER_URL/api/v1/media/$MEDIA_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: describeMedia
curl -s -X PATCH "$CRIER_URL/api/v1/media/$MEDIA_ID" -H "Authorization: Bearer $CRIER_KEY" -d '{"altText": "The harbour at sunrise"}'
# sample: deleteMedia
curl -s -X DELETE "$CRIER_URL/api/v1/media/$MEDIA_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: createMediaUploadUrl
curl -s "$CRIER_URL/api/v1/media/upload-url" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"fileName": "harbour.png", "size": '"$(stat -c %s harbour.png)"'}'
# sample: receiveUpload
curl -s -T harbour.png "$UPLOAD_URL"   # the uploadUrl of the answer before
# sample: completeUpload
curl -s -X POST "$CRIER_URL/api/v1/media/$MEDIA_ID/complete" -H "Authorization: Bearer $CRIER_KEY"
# sample: uploadMediaFromUrl
curl -s "$CRIER_URL/api/v1/media/from-url" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"url": "https://media.example/harbour.png", "altText": "The harbour"}'
# end refused
# sample: createWebhook
curl -s "$CRIER_URL/api/v1/webhooks" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"url": "https://hooks.example/crier", "events": ["post.published", "post.failed"]}'
# sample: listWebhooks
curl -s "$CRIER_URL/api/v1/webhooks" -H "Authorization: Bearer $CRIER_KEY"
# sample: getWebhook
curl -s "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: updateWebhook
curl -s -X PATCH "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"isActive": true}'
# sample: testWebhook
curl -s "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID/test" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"event": "post.published"}'
# sample: rotateWebhookSecret
curl -s "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID/rotate-secret" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"overlapSeconds": 86400}'
# sample: searchDeliveries
curl -s "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID/deliveries?status=failed" -H "Authorization: Bearer $CRIER_KEY"
# sample: redeliverFailed
curl -s "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID/redeliver" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"since": "'"$(date -u -d '-1 hour' +%FT%TZ)"'"}'
# sample: deleteWebhook
curl -s -X DELETE "$CRIER_URL/api/v1/webhooks/$WEBHOOK_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: listEvents
curl -s "$CRIER_URL/api/v1/events" -H "Authorization: Bearer $CRIER_KEY"
# sample: createMonitor
curl -s "$CRIER_URL/api/v1/feeds/keywords" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "Harbour", "include": ["harbour walk"]}'
# sample: listMonitors
curl -s "$CRIER_URL/api/v1/feeds/keywords" -H "Authorization: Bearer $CRIER_KEY"
# sample: getMonitor
curl -s "$CRIER_URL/api/v1/feeds/keywords/$MONITOR_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: updateMonitor
curl -s -X PATCH "$CRIER_URL/api/v1/feeds/keywords/$MONITOR_ID" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"isPaused": true}'
# sample: listMonitorItems
curl -s "$CRIER_URL/api/v1/feeds/keywords/$MONITOR_ID/items" -H "Authorization: Bearer $CRIER_KEY"
# sample: deleteMonitor
curl -s -X DELETE "$CRIER_URL/api/v1/feeds/keywords/$MONITOR_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: searchFeed
curl -s "$CRIER_URL/api/v1/feeds/search?platform=bluesky&q=harbour" -H "Authorization: Bearer $CRIER_KEY"
# sample: listComments
curl -s "$CRIER_URL/api/v1/engagement/comments" -H "Authorization: Bearer $CRIER_KEY"
# sample: listMentions
curl -s "$CRIER_URL/api/v1/engagement/mentions" -H "Authorization: Bearer $CRIER_KEY"
# sample: countPosts
curl -s "$CRIER_URL/api/v1/analytics/posts?platform=mastodon" -H "Authorization: Bearer $CRIER_KEY"
# sample: countFollowers
curl -s "$CRIER_URL/api/v1/analytics/followers" -H "Authorization: Bearer $CRIER_KEY"
# sample: getRetention
curl -s "$CRIER_URL/api/v1/analytics/retention?limit=5" -H "Authorization: Bearer $CRIER_KEY"
# sample: getBestTimes
curl -s "$CRIER_URL/api/v1/analytics/best-times?timezone=Europe/Berlin" -H "Authorization: Bearer $CRIER_KEY"
# sample: createKey
curl -s "$CRIER_URL/api/v1/keys" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"name": "reports", "permissions": ["read"], "test": true}'
# sample: listKeys
curl -s "$CRIER_URL/api/v1/keys" -H "Authorization: Bearer $CRIER_KEY"
# sample: getKey
curl -s "$CRIER_URL/api/v1/keys/$KEY_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: rotateKey
curl -s "$CRIER_URL/api/v1/keys/$KEY_ID/rotate" -H "Authorization: Bearer $CRIER_KEY" \
  -d '{"overlapSeconds": 3600}'
# sample: revokeKey
curl -s -X DELETE "$CRIER_URL/api/v1/keys/$KEY_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: getUsage
curl -s "$CRIER_URL/api/v1/usage" -H "Authorization: Bearer $CRIER_KEY"
# sample: getPlan
curl -s "$CRIER_URL/api/v1/billing/plan" -H "Authorization: Bearer $CRIER_KEY"
# sample: disconnectAccount
curl -s -X DELETE "$CRIER_URL/api/v1/accounts/$ACCOUNT_ID" -H "Authorization: Bearer $CRIER_KEY"
# sample: getDescription
curl -s "$CRIER_URL/api/v1/openapi.json"
# end
