import '@mantine/core/styles/baseline.css'
import '@mantine/core/styles/default-css-variables.css'
import '@mantine/core/styles/global.css'
import '@mantine/core/styles/UnstyledButton.css'
import '@mantine/core/styles/ScrollArea.css'
import '@mantine/core/styles/CloseButton.css'
import '@mantine/core/styles/Overlay.css'
import '@mantine/core/styles/Paper.css'
import '@mantine/core/styles/ModalBase.css'
import '@mantine/core/styles/Modal.css'
import '@mantine/core/styles/Popover.css'
import '@mantine/core/styles/Menu.css'
import '../../../schema/face/tokens.css'
import '../../../schema/face/parts.css'
import './styles/mantine.css'
import './styles/base.css'
import './styles/shell.css'
import { createTheme, MantineProvider } from '@mantine/core'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { Refusal } from './api/client'
import { followTabs } from './api/session'
import { Toasts } from './parts/toasts'
import { router } from './router'
import { Words } from './words'

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one when it is asked again (where a minute was full, api/patience has); what did not answer may.
      retry: (times, error) => !(error instanceof Refusal && error.status < 500) && times < 2,
      refetchOnWindowFocus: true,
    },
  },
})

// A session that has ended elsewhere is noticed by the first request that is refused for it.
client.getQueryCache().subscribe(({ query, type }) => {
  const error = query.state.error
  if (type === 'updated' && error instanceof Refusal && error.status === 401) client.setQueryData(['session'], null)
})

followTabs(client)

const root = document.getElementById('root')
if (!root) throw new Error('the page has no root')
createRoot(root).render(
  <MantineProvider theme={createTheme({})} defaultColorScheme="auto" withCssVariables={false} withStaticClasses withGlobalClasses={false}>
    <QueryClientProvider client={client}>
      <Words>
        <Toasts>
          <RouterProvider router={router} />
        </Toasts>
      </Words>
    </QueryClientProvider>
  </MantineProvider>,
)
