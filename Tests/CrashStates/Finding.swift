import SavedState
import StateRecords

/// What a load has found.
struct Finding: CustomStringConvertible {
    private let outcome: LoadOutcome
    /// What is in memory now; `nil` if nothing was saved, or nothing could be salvaged.
    private let contents: ArchiveContents?
    private let digest: UInt64?
    /// Whether the file ends with zeros: reserved space, or a write into it that the crash has lost.
    private let endsWithZeros: Bool

    /// - Parameter file: Bytes of the file before it was loaded, or `nil` if nothing was lost.
    init(_ outcome: LoadOutcome, _ archive: ApplicationArchive, file: [UInt8]? = nil) {
        self.outcome = outcome
        endsWithZeros = file.map { $0.count > 8 && $0.suffix(8).allSatisfy { $0 == 0 } } ?? false
        switch outcome {
        case .none: contents = nil
        case .loaded: contents = archive.contents
        case .damaged(let damage): contents = damage.salvaged == nil ? nil : archive.contents
        }
        digest = contents.map(SavedModel.digest)
    }

    /// Whether nothing is saved, or nothing could be salvaged.
    var isNothing: Bool { contents == nil }

    /// Whether the file ends in an orderly stop.
    var isClosed: Bool { contents?.closed ?? false }

    /// Whether a torn end was left out.
    var isTorn: Bool { if case .loaded(_, .some) = outcome { true } else { false } }

    /// Why the file counts as damaged; `nil` if it does not.
    var damage: String? {
        guard case .damaged(let damage) = outcome else { return nil }
        return "\(damage.reason), at byte \(damage.offset)"
    }

    /// The newest of some versions that is what was found.
    ///
    /// - Parameter isDamaged: whether the file was damaged by more than a crash.
    func version(
        among possible: ArraySlice<Promises.Version>, isDamaged: Bool = false
    ) throws(Violation) -> Promises.Version {
        if let damage, !isDamaged {
            throw Violation("Nothing was damaged, and a load says: \(damage)")
        }
        let found = possible.reversed().first {
            $0.model?.digest == digest && $0.isClosed == isClosed
        }
        // Without its end a closed file is what it was before it was closed. The same is true of a closed file to which a
        // start has appended turns that were lost.
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

    /// What was found of a file that was damaged.
    func salvage() throws(Violation) -> Promises.Version {
        if damage == nil, !isTorn {
            throw Violation("A file was damaged, and a load has not noticed: \(self)")
        }
        return Promises.Version(model: contents.map(SavedModel.init), origin: "salvaged")
    }

    var description: String {
        guard let contents else { return damage == nil ? "nothing" : "damage" }
        let times = contents.passes.values.map(\.timestamp).sorted()
        return """
            \(contents.objects.count) objects of passes \(times)\(isClosed ? ", closed" : "")\
            \(isTorn ? ", torn" : "")
            """
    }
}
