import { useEffect, type ReactNode } from 'react'

// Entry is a page outside the shell, such as the way in: crier's sign above what it is for, which the browser's title says.
export function Entry({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => { document.title = `${title} · crier` }, [title])
  return (
    <main className="entry">
      <div className="card">
        <div className="sign"><img src="/icon.svg" width={28} height={28} alt="" /> crier</div>
        {children}
      </div>
    </main>
  )
}
