import SavedState
import StateRecords

/// Result of a load.
struct LoadResult: CustomStringConvertible {
    private let outcome: LoadOutcome
    /// State in memory, or `nil` if no state was saved or could be salvaged.
    private let contents: ArchiveContents?
    private let digest: UInt64?
    /// Whether the file ends with zeros, which are reserved space or a write that the crash has lost.
    private let endsWithZeros: Bool

    /// - Parameter file: Bytes of the file before it was loaded, or `nil` if nothing was lost.
    init(_ outcome: LoadOutcome, _ archive: ApplicationArchive, file: [UInt8]? = nil) {
        self.outcome = outcome
        endsWithZeros = file.map { $0.count > 8 && $0.suffix(8).allSatisfy { $0 == 0 } } ?? false
        switch outcome {
        case .none: contents = nil
        case .loaded: contents = archive.contents
        case .damaged(let damage):
            contents = damage.salvagedContents == nil ? nil : archive.contents
        }
        digest = contents.map(SavedModel.digest)
    }

    /// Whether no state was saved or could be salvaged.
    var hasNoState: Bool { contents == nil }

    /// Whether the last record marks an orderly shutdown.
    var isClosed: Bool { contents?.isClosed ?? false }

    /// Whether a torn end was ignored.
    var isTorn: Bool { if case .loaded(_, .some) = outcome { true } else { false } }

    /// Reason why the file counts as damaged, or `nil` if it does not.
    var damage: String? {
        guard case .damaged(let damage) = outcome else { return nil }
        return "\(damage.reason), at byte \(damage.offset)"
    }

    /// Returns the newest version that equals the result of the load.
    ///
    /// - Parameter isDamaged: Whether the file was damaged by more than a crash.
    func version(
        among possible: ArraySlice<Promises.Version>, isDamaged: Bool = false
    ) throws(Violation) -> Promises.Version {
        if let damage, !isDamaged {
            throw Violation("Nothing was damaged, and a load says: \(damage)")
        }
        let found = possible.reversed().first {
            $0.model?.digest == digest && $0.isClosed == isClosed
        }
        // A closed file that loses its end has the contents from before it was closed. This also applies to a closed
        // file to which the next process appended turns that were lost.
        let open =
            found
            ?? possible.reversed().first {
                $0.model?.digest == digest && (isTorn || endsWithZeros) && !isClosed
            }
        guard let version = open else {
            let origins = possible.map { "\($0.origin)\($0.isClosed ? ", closed" : "")" }
            throw Violation("A load finds \(self), and that is none of: \(origins)")
        }
        return version
    }

    /// Returns the version that was salvaged from a damaged file.
    func salvage() throws(Violation) -> Promises.Version {
        if damage == nil, !isTorn {
            throw Violation("A file was damaged, and a load has not noticed: \(self)")
        }
        return Promises.Version(model: contents.map(SavedModel.init), origin: "salvaged")
    }

    var description: String {
        guard let contents else { return damage == nil ? "nothing" : "damage" }
        let times = contents.passEnds.values.map(\.timestamp).sorted()
        return """
            \(contents.objects.count) objects of passes \(times)\(isClosed ? ", closed" : "")\
            \(isTorn ? ", torn" : "")
            """
    }
}
