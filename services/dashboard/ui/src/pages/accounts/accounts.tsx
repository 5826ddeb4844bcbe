// All accounts of the installation with their spend and limits, for owners of the
// operator account.
import { explainMissingRole, hasRole } from '../../role'
import { decodePath } from '../../router'
import { AccountList } from './accountlist'
import { AccountSpend } from './accountspend'

export function Accounts({ rest }: { rest: string }) {
  if (!hasRole('owner')) return <p>{explainMissingRole('owner', 'see all accounts')}</p>
  return rest === '' ? <AccountList /> : <AccountSpend id={decodePath(rest)} />
}
