import ExactText
package import LinuxIO

/// What the bytes of an archive turn out to be, for a person who looks at a file. Total: there is
/// nothing that it refuses to look at.
package struct ArchiveInspection: Sendable {
    /// What a daemon makes of the bytes.
    package enum Condition: Sendable, Equatable {
        /// Every byte is as it was written.
        case whole
        /// The end is not, as a power cut leaves it.
        case torn(TornTail)
        /// A byte that was durable is not, or no program of this version wrote it.
        case damaged(reason: String, offset: Int)
        /// A program of a newer version wrote it; nothing else can be told.
        case newer(version: UInt32)
    }

    /// What a daemon makes of the bytes.
    package let condition: Condition
    /// What the file holds after its last complete pass, or the last one before the damage; without
    /// one what is intact of it, nil if nothing is. Behind a damaged header it is what the records
    /// tell.
    package let contents: ArchiveContents?
    /// What is intact of a damaged file of which a daemon can use no complete pass; nil if nothing
    /// is.
    package let salvage: ArchiveSalvage?
    /// Where the last record ends that counts for ``contents``, in bytes; 0 if none does.
    package let completeByteCount: Int

    private let bytes: [UInt8]
    private let start: ArchiveStart?

    /// Looks at the archive of any application.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let outcome = ArchiveReader.read(bytes, bundleIdentifier: nil)
        condition = Condition(outcome)
        let complete: ArchiveReader.Prefix?
        switch ArchiveHeader.parse(bytes) {
        case .header(let found):
            start = found
            complete = outcome.complete
        case .invalid:
            start = ArchiveStart(guessing: bytes)
            complete = start.flatMap { start in
                var reader = ArchiveReader(bytes, start)
                return reader.read().complete
            }
        case .newer:
            start = nil
            complete = nil
        }
        salvage =
            outcome.isWithoutPass
            ? ArchiveSalvage(bytes, bundleIdentifier: nil) { _ in [] } : nil
        contents = complete.map(\.contents) ?? salvage?.contents
        completeByteCount = complete?.byteCount ?? 0
    }

    /// How many bytes there are.
    package var byteCount: Int { bytes.count }

    /// The header; of a damaged one what stands where it should, if records follow it.
    package var header: ArchiveHeader? { start?.header }

    /// Whether the header is as it was written.
    package var isHeaderIntact: Bool {
        switch condition {
        case .newer: true
        case .whole, .torn, .damaged: start?.isIntact ?? false
        }
    }

    /// The records, also those behind damage, and what is none. Of a newer format it has none.
    package var records: RecordScan {
        if case .newer = condition { return RecordScan([], from: nil) }
        return RecordScan(bytes, from: start)
    }
}

extension ArchiveInspection.Condition {
    fileprivate init(_ outcome: ArchiveReader.Outcome) {
        switch outcome {
        case .whole: self = .whole
        case .torn(_, let tail): self = .torn(tail)
        case .damaged(let reason, let offset, _): self = .damaged(reason: reason, offset: offset)
        case .newer(let version): self = .newer(version: version)
        }
    }
}

extension ArchiveReader.Outcome {
    /// What counts, if a pass does.
    fileprivate var complete: ArchiveReader.Prefix? {
        switch self {
        case .whole(let prefix), .torn(let prefix, _): prefix.hasPass ? prefix : nil
        case .damaged(_, _, let salvaged): salvaged
        case .newer: nil
        }
    }

    /// Whether it is damaged, and no pass is complete before that.
    fileprivate var isWithoutPass: Bool {
        if case .damaged(_, _, nil) = self { true } else { false }
    }
}

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

extension ArchiveInspection {
    /// The newest generation beside the archive, if a daemon uses that rather than what is left of
    /// a damaged archive (L5).
    ///
    /// - Parameter folder: the application's folder, in which nothing is changed.
    /// - Returns: the generation's path; nil if none is newer than ``contents``.
    package func newerGeneration(in folder: some Folder) throws(IOError) -> String? {
        let newest = try NumberedFolder(.history, existingIn: folder)?.newestUsable(
            limit: ArchiveFormat.largestFile, bundleIdentifier: header?.bundleIdentifier)
        let left = isHeaderIntact ? contents?.sequence ?? 0 : 0
        return newest.flatMap { $0.prefix.end.sequence > left ? $0.path : nil }
    }
}
