import LinuxIO
import SavedState
import StateRestoration

// What was saved at earlier times. It is read on a thread of its own, because that may take long.

extension Application {
    /// The generations of the application, the oldest first. It need not run for that.
    ///
    /// - Throws: ``ApplicationError/historyUnreadable(application:reason:)``.
    public func history() async throws(ApplicationError) -> [Generation] {
        let reader = try historyReader()
        let result: Result<[Generation], IOError> = await historyQueue.run {
            Result { () throws(IOError) in
                try reader.generations().map { kept in
                    Generation(
                        kept,
                        Result { () throws(KeptStateError) in
                            try reader.contents(of: "\(kept.name)")
                        })
                }
            }
        }
        do throws(IOError) {
            return try result.get()
        } catch {
            throw historyUnreadable(error)
        }
    }

    /// Compares a generation with another one, or with what is saved now, value by value.
    ///
    /// If the application runs, a full pass is made first for what is saved now (P18).
    ///
    /// - Parameters:
    ///   - from: the name of a generation, with or without the zeros in front.
    ///   - to: the name of another one; nil: what is saved now.
    /// - Throws: ``ApplicationError``: `noSuchGeneration`, `generationUnreadable`,
    ///   `historyUnreadable`, or `notRunning` or `failed` if nothing is known of what is saved now.
    public func diff(
        from: String, to: String? = nil
    ) async throws(ApplicationError) -> GenerationComparison {
        let reader = try historyReader()
        let first = try await read(from, reader)
        let second: KeptContents
        if let to { second = try await read(to, reader) } else { second = try await savedNow() }
        let differences = await historyQueue.run {
            StateComparison.differences(
                from: first.contents.comparisonSide, to: second.contents.comparisonSide)
        }
        return GenerationComparison(
            from: GenerationName(from).map { "\($0)" } ?? from,
            to: to.map { name in GenerationName(name).map { "\($0)" } ?? name },
            differences: differences, problems: [first, second].compactMap(\.problem))
    }

    private func savedNow() async throws(ApplicationError) -> KeptContents {
        if isLaunching { await waitForLaunch() }
        if hosted != nil { runTurn(.demand) }
        do throws(SaveError) { try loadUnlaunched() } catch { throw notTaking }
        guard let contents = archive.contents else { throw notTaking }
        return KeptContents(path: archive.path, contents: contents)
    }

    private func read(
        _ name: String, _ reader: HistoryReader
    ) async throws(ApplicationError) -> KeptContents {
        let result: Result<KeptContents, KeptStateError> = await historyQueue.run {
            Result { () throws(KeptStateError) in try reader.contents(of: name) }
        }
        do throws(KeptStateError) {
            return try result.get()
        } catch {
            if case .unknown = error { throw noSuchGeneration(name, reader) }
            throw .generationUnreadable(
                application: bundleIdentifier, generation: name, reason: "\(error)")
        }
    }

    /// The error for a name that no generation has.
    func noSuchGeneration(_ name: String) -> ApplicationError {
        do throws(ApplicationError) {
            return noSuchGeneration(name, try historyReader())
        } catch {
            return error
        }
    }

    private func noSuchGeneration(_ name: String, _ reader: HistoryReader) -> ApplicationError {
        do throws(IOError) {
            return .noSuchGeneration(
                application: bundleIdentifier, generation: name,
                generations: try reader.generations().map { "\($0.name)" })
        } catch {
            return historyUnreadable(error)
        }
    }

    private func historyReader() throws(ApplicationError) -> HistoryReader {
        do throws(IOError) {
            return try archive.historyReader()
        } catch {
            throw historyUnreadable(error)
        }
    }

    private func historyUnreadable(_ error: IOError) -> ApplicationError {
        .historyUnreadable(application: bundleIdentifier, reason: "\(error)")
    }
}
