import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api, ask, type Schemas } from '../../api/client'
import type { Fields } from './writing'

// pause is how long nothing changes before it is checked, in milliseconds.
const pause = 300

// useValidity has the API judge a post as it is written, by the rules of a creation.
export function useValidity(fields: Fields) {
  const [settled, setSettled] = useState(fields)
  const written = JSON.stringify(fields)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(written) as Fields), pause)
    return () => clearTimeout(timer)
  }, [written])
  return useQuery({
    queryKey: ['validity', settled],
    queryFn: async () => (await ask(api.POST('/posts/validate', { body: settled as Schemas['PostValidate'] }))).validation,
    enabled: (settled.platforms?.length ?? 0) > 0,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
    retry: false,
  })
}

export type Validity = ReturnType<typeof useValidity>['data']
