type InitialProps = { name: string; kind?: 'initial' | 'crest' } // crest: of what is no person

// Initial stands in the place of a picture.
export function Initial({ name, kind = 'initial' }: InitialProps) {
  const [letter = '?'] = name.replace(/^@+/, '')
  return <span className={kind} aria-hidden="true">{letter.toUpperCase()}</span>
}
