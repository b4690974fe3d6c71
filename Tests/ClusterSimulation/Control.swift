/// A fault of the program itself that the simulation must find.
enum Control: String, CaseIterable {
    /// Transactions do not compare the owner and the writer.
    case noGuard = "no-guard"
    /// A host trusts a watch that reports nothing.
    case silentWatch = "silent-watch"
    /// The higher sequence number wins, whatever the lineage is.
    case noLineage = "no-lineage"
}
