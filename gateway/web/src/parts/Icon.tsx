// paths of the icons, drawn on 16 by 16 with strokes.
const paths = {
  calendar: 'M2.5 4.5h11v9h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  bell: 'M4 11V7.5a4 4 0 0 1 8 0V11l1.2 1.2H2.8zM6.6 14.2h2.8',
  user: 'M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM2.8 13.6c.6-2.4 2.6-3.8 5.2-3.8s4.6 1.4 5.2 3.8',
  people: 'M6 7.6a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6zM1.8 13c.4-2.2 2-3.4 4.2-3.4s3.8 1.2 4.2 3.4M10.4 3.2a2.3 2.3 0 0 1 0 4.2M12 9.9c1.2.5 2 1.6 2.2 3.1',
  account: 'M2.5 3.5h11v9h-11zM6.2 7.9a1.4 1.4 0 1 0 0-2.8 1.4 1.4 0 0 0 0 2.8zM4 10.9c.3-1.1 1.1-1.7 2.2-1.7s1.9.6 2.2 1.7M10.2 6.5h1.6M10.2 9.3h1.6',
  brand: 'M2.8 8.6V3.4c0-.3.3-.6.6-.6h5.2l4.7 4.7c.3.3.3.6 0 .9l-5 5c-.3.3-.6.3-.9 0zM5.6 5.6h.01',
  list: 'M3 4.2h.01M3 8h.01M3 11.8h.01M5.8 4.2h7.4M5.8 8h7.4M5.8 11.8h7.4',
  gauge: 'M3.2 12.2a6 6 0 1 1 9.6 0M8 9.2l2.6-3',
  pulse: 'M1.8 8h2.7l1.7-4.4L9.4 12.4 11.2 8h3',
  hook: 'M6.3 9.2 4.6 12M9.7 9.2h3M8 4.6l1.7 3M4 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12.6 11.2a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.4 5.6a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  key: 'M9.8 9.3a3.4 3.4 0 1 0-3.1-3.1L2.5 10.4v3.1h3v-2h2v-1.9zM10.9 5.1h.01',
  plus: 'M8 3v10M3 8h10',
  draft: 'M9.5 2.5h-5v11h7v-9zM9.5 2.5v2h2M6.5 8h3M6.5 10.5h3',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM13.5 13.5l-3.2-3.2',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  up: 'M4 9.8 8 5.8l4 4',
  down: 'M4 6.2 8 10.2l4-4',
  check: 'M3.2 8.4 6.5 11.7 12.8 4.8',
  x: 'M4 4l8 8M12 4l-8 8',
  alert: 'M8 2.2 14.3 13.3H1.7zM8 6.4v3.2M8 11.5h.01',
  clock: 'M8 13.8A5.8 5.8 0 1 0 8 2.2a5.8 5.8 0 0 0 0 11.6zM8 4.8V8l2.2 1.5',
  link: 'M6.8 9.2 9.2 6.8M7.2 4.7l1.2-1.2a2.9 2.9 0 0 1 4.1 4.1l-1.2 1.2M8.8 11.3l-1.2 1.2a2.9 2.9 0 0 1-4.1-4.1l1.2-1.2',
  out: 'M9.5 2.8h3.7v3.7M13 3 7.6 8.4M11.5 9.5v3.7h-8.7V4.5h3.7',
  retry: 'M13 8a5 5 0 1 1-1.5-3.6M13 2.2v2.9h-2.9',
  edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.3 4.5l2.2 2.2',
  copy: 'M5.8 5.8h7.4v7.4H5.8zM10.2 5.8V2.8H2.8v7.4h3',
  trash: 'M3 4.4h10M6.3 4.4V2.8h3.4v1.6M4.3 4.4l.6 8.8h6.2l.6-8.8',
  image: 'M2.5 3.5h11v9h-11zM2.7 11 6 7.8l2.6 2.5 1.9-1.7 2.8 2.6M10.4 6.4h.01',
  more: 'M4 8h.01M8 8h.01M12 8h.01',
  pause: 'M6 4v8M10 4v8',
  play: 'M5.2 3.6v8.8L12.4 8z',
  look: 'M1.8 8S4 3.9 8 3.9 14.2 8 14.2 8 12 12.1 8 12.1 1.8 8 1.8 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  heart: 'M8 13.2 3.2 8.4a2.9 2.9 0 0 1 4.1-4.1l.7.7.7-.7a2.9 2.9 0 0 1 4.1 4.1z',
  comment: 'M2.8 3.2h10.4v7.6H7.6l-3 2.6v-2.6H2.8z',
  repeat: 'M3.4 7.4V5.6a1.4 1.4 0 0 1 1.4-1.4h7.4M10.2 2.2l2.2 2-2.2 2M12.6 8.6v1.8a1.4 1.4 0 0 1-1.4 1.4H3.8M5.8 13.8l-2.2-2 2.2-2',
  thumb: 'M5.4 7.2 8 2.6a1.5 1.5 0 0 1 1.6 1.6l-.4 2.4h3.4l-.9 6H5.4zM5.4 7.2H3v5.4h2.4',
  send: 'M13.6 2.4 2.4 7l4.4 2.2 2.2 4.4z',
  leave: 'M6.5 2.8h-3.7v10.4h3.7M10.3 5 13.3 8l-3 3M13 8H6.3',
} as const

export type IconName = keyof typeof paths

// Icon is decoration beside words, or named by the control that it is in.
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
