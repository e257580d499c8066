import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ask, type Key } from '../../api/client'
import { Confirm } from '../../parts/Confirm'
import { Select } from '../../parts/Form'
import { useWords } from '../../words'

// overlaps are how long the key before may work on, in seconds.
const overlaps = { now: 0, hour: 3600, day: 24 * 3600, week: 7 * 24 * 3600 } as const
type Overlap = keyof typeof overlaps

// Rotating puts a new key in place of one; show shows its secret.
export function Rotating({ of, close, show }: { of: Key; close: () => void; show: (secret: string) => void }) {
  const { t } = useWords()
  const client = useQueryClient()
  const [overlap, setOverlap] = useState<Overlap>('day')
  return (
    <Confirm
      title={t('keys.rotateTitle', { name: of.name })} action={t('keys.rotate')} close={close}
      run={async () => {
        const { key } = await ask(api.POST('/keys/{id}/rotate', { params: { path: { id: of.id } }, body: { overlapSeconds: overlaps[overlap] } }))
        await client.invalidateQueries({ queryKey: ['keys'] })
        if (key.secret) show(key.secret)
      }}
    >
      <p>{t('keys.rotateAbout')}</p>
      <Select label={t('keys.overlap')} value={overlap} set={(value) => setOverlap(value as Overlap)}>
        {(Object.keys(overlaps) as Overlap[]).map((o) => <option key={o} value={o}>{t(`keys.overlap.${o}`)}</option>)}
      </Select>
    </Confirm>
  )
}
