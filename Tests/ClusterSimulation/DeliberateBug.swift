/// Bug that the simulation must find.
///
/// The bugs are injected between the program and the simulation: in the requests and replies of a host, and in the
/// steps that connect the program's types.
enum DeliberateBug: String, CaseIterable {
    /// A transaction that replaces the state of an application compares neither the owner nor the writer.
    case noFence = "no-fence"
    /// A host becomes the owner of an application without checking that the application has no owner.
    case noOwnerComparison = "no-owner-comparison"
    /// A host relies on its lease until the lease ends, without a margin for different clocks.
    case noLeaseMargin = "no-lease-margin"
    /// A host counts the time of its lease from the reply to a renewal instead of from the request.
    case countsFromReply = "counts-from-reply"
    /// A change is acknowledged before the transaction that replicates it has succeeded.
    case acknowledgesEarly = "acknowledges-early"
    /// A host trusts a watch that reports nothing.
    case silentWatch = "silent-watch"
    /// The state with the higher sequence number takes precedence, regardless of the lineage.
    case noLineage = "no-lineage"
    /// A host replaces superseded state without adding it to the history.
    case discardsSuperseded = "discards-superseded"
    /// A host does not replicate its state again after the store was restored from a backup.
    case ignoresRestoredStore = "ignores-restored-store"

    /// Check that must find this bug.
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
