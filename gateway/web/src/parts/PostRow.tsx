import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Post } from '../api/client'
import { useWords } from '../words'
import { Marks } from './platforms'
import { excerpt, standing } from './post'
import { StatusShape } from './Status'

// PostRow is a post in a list: what it says and when, and what can be done about it.
export function PostRow({ post, about, actions }: { post: Post; about?: ReactNode; actions?: ReactNode }) {
  const { t, time } = useWords()
  return (
    <li className="link">
      <StatusShape status={standing(post)} />
      <Link className="cover grow" to="/posts/$id" params={{ id: post.id }}>
        <span className="row">
          <span className="clip strong">{excerpt(post, t)}</span>
        </span>
        <span className="row small muted" style={{ marginTop: 2 }}>
          <Marks of={post.platforms.map((p) => p.platform)} />
          <span className="clip">{about ?? (post.scheduledFor ? time.full(post.scheduledFor) : t('post.noTime'))}</span>
        </span>
      </Link>
      {actions && <span className="row tight">{actions}</span>}
    </li>
  )
}
