import ExactText
package import LinuxIO

/// Detailed report about an archive's bytes, for an operator who inspects a file.
///
/// The bytes need not be a valid archive.
package struct ArchiveInspection: Sendable {
    /// Condition of an archive file.
    package enum Condition: Sendable, Equatable {
        /// Every byte is intact.
        case whole
        /// The end of the file is incomplete, for example because of a power cut.
        case torn(TornTail)
        /// The file is damaged, or was not written by this version of the program.
        case damaged(reason: String, offset: Int)
        /// A newer version of the program wrote the file. Nothing else is known about it.
        case newer(version: UInt32)
    }

    /// Condition of this file.
    package let condition: Condition
    /// Contents of the file after its last complete pass, or after the last complete pass before any damage.
    ///
    /// If there is no complete pass, the contents consist of the intact objects. If there are no intact objects either,
    /// this property is `nil`. If the header is damaged, only the records determine the contents.
    package let contents: ArchiveContents?
    /// Intact objects in a damaged file that contains no usable complete pass, or `nil` in any other case.
    package let salvage: ArchiveSalvage?
    /// Offset of the end of the last record that belongs to ``contents``, or 0 if there is no complete pass.
    package let completeByteCount: Int

    private let bytes: [UInt8]
    private let start: ArchiveStart?

    /// Inspects an archive of any application.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let outcome = ArchiveReader.read(bytes, bundleIdentifier: nil)
        condition = Condition(outcome)
        let completePrefix: ArchiveReader.Prefix?
        switch ArchiveHeader.parse(bytes) {
        case .header(let parsedStart):
            start = parsedStart
            completePrefix = outcome.completePrefix
        case .invalid:
            start = ArchiveStart(reconstructing: bytes)
            completePrefix = start.flatMap { start in
                var reader = ArchiveReader(bytes, start)
                return reader.read().completePrefix
            }
        case .newer:
            start = nil
            completePrefix = nil
        }
        salvage =
            outcome.hasNoCompletePass
            ? ArchiveSalvage(bytes, bundleIdentifier: nil) { _ in [] } : nil
        contents = completePrefix.map(\.contents) ?? salvage?.contents
        completeByteCount = completePrefix?.byteCount ?? 0
    }

    /// Length of the file in bytes, excluding reserved space.
    package var byteCount: Int { RecordParser.usedByteCount(bytes) }

    /// Header of the file, or `nil` if it cannot be determined. A damaged header is reconstructed if a record follows
    /// it.
    package var header: ArchiveHeader? { start?.header }

    /// Whether the header is undamaged.
    package var isHeaderIntact: Bool {
        switch condition {
        case .newer: true
        case .whole, .torn, .damaged: start?.isIntact ?? false
        }
    }

    /// All records in the file, including records after any damage, and all ranges without records.
    ///
    /// The scan is empty if the file has a newer format.
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
    /// Contents of the file up to its last complete pass, or `nil` if there is no complete pass.
    fileprivate var completePrefix: ArchiveReader.Prefix? {
        switch self {
        case .whole(let prefix), .torn(let prefix, _): prefix.hasCompletePass ? prefix : nil
        case .damaged(_, _, let salvaged): salvaged
        case .newer: nil
        }
    }

    /// Whether the file is damaged before the end of its first complete pass.
    fileprivate var hasNoCompletePass: Bool {
        if case .damaged(_, _, nil) = self { true } else { false }
    }
}

extension ArchiveInspection {
    /// Counts of the records, passes and faults in an archive.
    package struct Totals: Sendable, Equatable {
        /// Number of records with a correct checksum.
        package var recordCount = 0
        /// Number of passes that belong to ``ArchiveInspection/contents``.
        package var passCount = 0
        /// Number of damaged or malformed records and of ranges without records.
        package var faultCount = 0
    }

    /// Counts records, passes and faults. The cost grows with the length of the file.
    package func totals() -> Totals {
        var totals = Totals()
        for part in records {
            switch part.finding {
            case .intact(let record, _, let end, _):
                totals.recordCount += 1
                let isComplete = part.offset + part.byteCount <= completeByteCount
                if isComplete, end != nil, record != .closed { totals.passCount += 1 }
            case .malformed:
                totals.recordCount += 1
                totals.faultCount += 1
            case .broken, .noRecord:
                totals.faultCount += 1
            }
        }
        return totals
    }
}

extension ArchiveInspection {
    /// Returns the path of the generation that a daemon would use instead of this damaged archive (L5).
    ///
    /// - Parameter directory: Directory of the application. Nothing in it is changed.
    /// - Returns: Path of the generation, or `nil` if no usable generation is newer than ``contents``.
    package func newerGenerationPath(in directory: some DirectoryProtocol) throws(IOError)
        -> String?
    {
        let newest = try NumberedFileDirectory(.history, existingIn: directory)?
            .newestUsableGeneration(
                limit: ArchiveFormat.maximumFileBytes, bundleIdentifier: header?.bundleIdentifier)
        let ownSequence = isHeaderIntact ? contents?.sequence ?? 0 : 0
        return newest.flatMap { $0.prefix.end.sequence > ownSequence ? $0.path : nil }
    }
}
