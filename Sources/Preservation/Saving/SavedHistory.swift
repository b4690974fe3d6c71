import FoundationEssentials
import LinuxIO
import SavedState
import StateRestoration

/// What an application had saved at earlier times, and what lies in its quarantine, as a person
/// asks for it.
///
/// Generations are read on a thread of their own, because that may take long.
struct SavedHistory {
    private let archive: ApplicationArchive
    private let application: String
    private let queue: DiskQueue

    init(_ archive: ApplicationArchive, application: String, queue: DiskQueue) {
        self.archive = archive
        self.application = application
        self.queue = queue
    }

    /// The generations, the oldest first.
    func generations() async throws(ApplicationError) -> [SavedGeneration] {
        let reader = try reader()
        let result: Result<[SavedGeneration], IOError> = await queue.run {
            Result { () throws(IOError) in
                try reader.generations().map { kept in
                    SavedGeneration(
                        kept,
                        Result { () throws(KeptStateError) in
                            try reader.contents(of: kept.name)
                        })
                }
            }
        }
        do throws(IOError) { return try result.get() } catch { throw unreadable(error) }
    }

    /// What a generation holds.
    ///
    /// - Parameter name: with or without the zeros in front.
    func read(_ name: String) async throws(ApplicationError) -> KeptContents {
        let reader = try reader()
        let result: Result<KeptContents, KeptStateError> = await queue.run {
            Result { () throws(KeptStateError) in try reader.contents(of: name) }
        }
        do throws(KeptStateError) {
            return try result.get()
        } catch {
            if case .unknown = error { throw try noSuchGeneration(name) }
            throw .generationUnreadable(
                application: application, generation: name, reason: "\(error)")
        }
    }

    /// What lies in quarantine under a name.
    func readQuarantined(_ name: String) async throws(ApplicationError) -> KeptContents {
        do throws(KeptStateError) {
            return try archive.contents(ofQuarantined: name)
        } catch {
            if case .unknown = error {
                throw .notInQuarantine(application: application, name: name)
            }
            throw .quarantineUnreadable(application: application, reason: "\(error)")
        }
    }

    /// Compares two states, value by value.
    ///
    /// - Parameters:
    ///   - from: the name of the first one's generation.
    ///   - to: the name of the second one's; nil: it is what is saved now.
    func compare(
        _ first: KeptContents, named from: String, with second: KeptContents, named to: String?
    ) async -> GenerationComparison {
        let differences = await queue.run {
            StateComparison.differences(
                from: first.contents.comparisonSide, to: second.contents.comparisonSide)
        }
        func shown(_ name: String) -> String { GenerationName(name).map { "\($0)" } ?? name }
        return GenerationComparison(
            from: shown(from), to: to.map(shown), differences: differences,
            problems: [first, second].compactMap(\.problem))
    }

    /// The error for a name that no generation has.
    func noSuchGeneration(_ name: String) throws(ApplicationError) -> ApplicationError {
        let reader = try reader()
        do throws(IOError) {
            return .noSuchGeneration(
                application: application, generation: name,
                generations: try reader.generations().map(\.name))
        } catch {
            throw unreadable(error)
        }
    }

    /// What lies in quarantine, the oldest first.
    ///
    /// - Parameter readsReasons: whether the reasons are wanted; else there are none.
    func quarantined(readsReasons: Bool = true) async throws(ApplicationError)
        -> [QuarantineEntry]
    {
        do throws(IOError) {
            let list = try archive.quarantineListing(readsReasons: readsReasons)
            let result: Result<[KeptFile], IOError> = await queue.run { Result(catching: list) }
            return try result.get().map {
                QuarantineEntry(
                    name: $0.name, path: $0.path, kind: QuarantineEntry.Kind($0.kind),
                    reason: $0.reason, time: $0.time.map { Date(microseconds: $0) },
                    byteCount: $0.byteCount)
            }
        } catch {
            throw .quarantineUnreadable(application: application, reason: "\(error)")
        }
    }

    private func reader() throws(ApplicationError) -> HistoryReader {
        do throws(IOError) { return try archive.historyReader() } catch { throw unreadable(error) }
    }

    private func unreadable(_ error: IOError) -> ApplicationError {
        .historyUnreadable(application: application, reason: "\(error)")
    }
}
