/// Error of the program that the simulation must find.
///
/// The errors are injected where the program meets the simulation: in the requests and replies of a host, and in the steps
/// that connect the types of the program.
enum DeliberateBug: String, CaseIterable {
    /// A transaction that replaces the state of an application compares neither the owner nor the writer.
    case noFence = "no-fence"
    /// A host becomes the owner of an application without a comparison that the application has no owner.
    case noOwnerComparison = "no-owner-comparison"
    /// A host relies on its lease until the lease ends, without a margin for clocks that differ.
    case noLeaseMargin = "no-lease-margin"
    /// A host counts the time of its lease from the reply to a renewal instead of from the request.
    case countsFromReply = "counts-from-reply"
    /// A change is acknowledged before the transaction that replicates it has succeeded.
    case acknowledgesEarly = "acknowledges-early"
    /// A host trusts a watch that reports nothing.
    case silentWatch = "silent-watch"
    /// The higher sequence number wins, whatever the lineage is.
    case noLineage = "no-lineage"
    /// A host replaces state that the cluster has superseded, without adding it to the history.
    case discardsSuperseded = "discards-superseded"
    /// A host replicates nothing again after the store was restored from a backup.
    case ignoresRestoredStore = "ignores-restored-store"

    /// The check that must find this error.
    var check: Checker.Check {
        switch self {
        case .noOwnerComparison, .noLeaseMargin, .countsFromReply: .oneOwner
        case .noFence, .acknowledgesEarly, .noLineage: .replicatedChanges
        case .silentWatch: .service
        case .discardsSuperseded: .savedChanges
        case .ignoresRestoredStore: .completeReplica
        }
    }
}
