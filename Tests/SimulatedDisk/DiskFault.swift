extension SimulatedDisk {
    /// Which operation fails, and how.
    package struct Fault: Sendable {
        /// The number of the first operation that fails, counted from 1 over those of ``kinds``.
        package var operation: Int
        /// The errno; with 0 a sync claims to have succeeded, but does nothing.
        package var code: CInt
        /// Whether all that follow fail too.
        package var lasts: Bool
        /// The sorts of operation that are counted and fail; `nil` for all.
        package var kinds: Set<DiskOperation.Kind>?
        /// How much of what a failing write was given it has written nevertheless.
        package var writtenPercent: Int

        /// A fault of these parts.
        package init(
            operation: Int, code: CInt, lasts: Bool = false,
            kinds: Set<DiskOperation.Kind>? = nil, writtenPercent: Int = 50
        ) {
            self.operation = operation
            self.code = code
            self.lasts = lasts
            self.kinds = kinds
            self.writtenPercent = writtenPercent
        }

        func concerns(_ kind: DiskOperation.Kind) -> Bool {
            kinds?.contains(kind) ?? true
        }
    }
}

extension Set<DiskOperation.Kind> {
    /// What a file system that turned read-only refuses.
    package static let refusedReadOnly: Self = [
        .makeFolder, .create, .open, .write, .truncate, .synchronize, .synchronizeData,
        .synchronizeFolder, .rename, .exchange, .remove,
    ]
    /// What a full file system may refuse.
    package static let refusedFull: Self = [
        .makeFolder, .create, .write, .synchronize, .synchronizeData, .rename, .exchange,
    ]
}
