extension ArchiveInspection {
    /// How much an archive has.
    package struct Totals: Sendable, Equatable {
        /// Records whose checksum is right.
        package var records = 0
        /// The passes that count for ``ArchiveInspection/contents``.
        package var passes = 0
        /// Records and stretches of bytes that are not as they were written, or are not legal.
        package var faults = 0
    }

    /// Counts what is there. The cost follows the number of bytes.
    package func totals() -> Totals {
        var totals = Totals()
        for piece in records {
            switch piece.finding {
            case .intact(let record, _, let end, _):
                totals.records += 1
                let counts = piece.offset + piece.byteCount <= completeByteCount
                if counts, end != nil, record != .closed { totals.passes += 1 }
            case .malformed:
                totals.records += 1
                totals.faults += 1
            case .broken, .noRecord:
                totals.faults += 1
            }
        }
        return totals
    }
}
