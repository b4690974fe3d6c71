extension SimulatedDisk {
    /// Operations that fail, and the kind of failure.
    package struct Fault: Sendable {
        /// Number of the first operation that fails, starting from 1 and counting only operations of ``kinds``.
        package var operation: Int
        /// Error number. If it is 0, a sync claims to have succeeded but does nothing.
        package var code: CInt
        /// Whether all later operations also fail.
        package var isPermanent: Bool
        /// Kinds of operations that are counted and fail, or `nil` for all kinds.
        package var kinds: Set<DiskOperation.Kind>?
        /// Percentage of its bytes that a failing write has written nevertheless.
        package var writtenPercent: Int

        /// Creates a fault.
        package init(
            operation: Int, code: CInt, isPermanent: Bool = false,
            kinds: Set<DiskOperation.Kind>? = nil, writtenPercent: Int = 50
        ) {
            self.operation = operation
            self.code = code
            self.isPermanent = isPermanent
            self.kinds = kinds
            self.writtenPercent = writtenPercent
        }

        func affects(_ kind: DiskOperation.Kind) -> Bool {
            kinds?.contains(kind) ?? true
        }
    }
}

extension Set<DiskOperation.Kind> {
    /// Operations that a read-only file system refuses.
    package static let refusedWhenReadOnly: Self = [
        .createDirectory, .create, .open, .write, .truncate, .synchronize, .synchronizeData,
        .synchronizeDirectory, .rename, .exchange, .remove,
    ]
    /// Operations that a full file system may refuse.
    package static let refusedWhenFull: Self = [
        .createDirectory, .create, .write, .synchronize, .synchronizeData, .rename, .exchange,
    ]
}
