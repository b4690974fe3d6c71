import ExactText
package import LinuxIO

/// Detailed report about the bytes of an archive, for an operator who inspects a file.
///
/// Any bytes can be inspected.
package struct ArchiveInspection: Sendable {
    /// Classification of a file by a daemon.
    package enum Condition: Sendable, Equatable {
        /// Every byte is unchanged since it was written.
        case whole
        /// The end of the file is incomplete, as after a power cut.
        case torn(TornTail)
        /// A durable byte is damaged, or no program of this version wrote the file.
        case damaged(reason: String, offset: Int)
        /// A newer version of the program wrote the file. Nothing else is known about it.
        case newer(version: UInt32)
    }

    /// Classification of this file.
    package let condition: Condition
    /// Contents of the file after its last complete pass, or after the last complete pass before the damage.
    ///
    /// If there is no complete pass, the contents are the intact objects, or `nil` if there are none. If the header is
    /// damaged, the contents come from the records alone.
    package let contents: ArchiveContents?
    /// Intact objects of a damaged file without a usable complete pass, or `nil` if there are none.
    package let salvage: ArchiveSalvage?
    /// Offset of the end of the last record that belongs to ``contents``, or 0 if there is none.
    package let completeByteCount: Int

    private let bytes: [UInt8]
    private let start: ArchiveStart?

    /// Inspects the archive of any application.
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

    /// Length of the file in bytes, without reserved space.
    package var byteCount: Int { RecordParser.usedByteCount(bytes) }

    /// Header of the file. A damaged header is reconstructed if records follow it.
    package var header: ArchiveHeader? { start?.header }

    /// Whether the header is undamaged.
    package var isHeaderIntact: Bool {
        switch condition {
        case .newer: true
        case .whole, .torn, .damaged: start?.isIntact ?? false
        }
    }

    /// Records of the file, including records after damage, and ranges without records.
    ///
    /// The scan is empty for a newer format.
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
    /// Contents of the file up to its last complete pass, or `nil` if no pass is complete.
    fileprivate var complete: ArchiveReader.Prefix? {
        switch self {
        case .whole(let prefix), .torn(let prefix, _): prefix.hasPass ? prefix : nil
        case .damaged(_, _, let salvaged): salvaged
        case .newer: nil
        }
    }

    /// Whether the file is damaged before the end of its first complete pass.
    fileprivate var isWithoutPass: Bool {
        if case .damaged(_, _, nil) = self { true } else { false }
    }
}

extension ArchiveInspection {
    /// Counts of an archive's records.
    package struct Totals: Sendable, Equatable {
        /// Number of records with a correct checksum.
        package var records = 0
        /// Number of passes that belong to ``ArchiveInspection/contents``.
        package var passes = 0
        /// Number of records and byte ranges that are damaged or malformed.
        package var faults = 0
    }

    /// Counts records, passes and faults. The cost grows with the length of the file.
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
    /// Returns the path of the newest generation if a daemon would use it instead of a damaged archive (L5).
    ///
    /// - Parameter folder: Directory of the application, in which nothing is changed.
    /// - Returns: Path of the generation, or `nil` if no generation is newer than ``contents``.
    package func newerGeneration(in folder: some Folder) throws(IOError) -> String? {
        let newest = try NumberedFolder(.history, existingIn: folder)?.newestUsable(
            limit: ArchiveFormat.largestFile, bundleIdentifier: header?.bundleIdentifier)
        let left = isHeaderIntact ? contents?.sequence ?? 0 : 0
        return newest.flatMap { $0.prefix.end.sequence > left ? $0.path : nil }
    }
}
