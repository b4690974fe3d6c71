import FoundationEssentials
import LinuxIO

// The ledger's file is a line of JSON, the ledger as it was when the file was written, and then one
// line for each event since. It is written anew when a process takes it over, when it has many events,
// and after a failure; only what may not be lost is made durable.

extension LaunchGuard {
    private static let mostEvents = 1000

    /// Reads what the process before left, counts how it ended, and takes the ledger over.
    func start(_ state: inout State) {
        var ledger: LaunchLedger
        var lines: [CrashStamp.Line] = []
        do throws(IOError) {
            ledger = try readLedger(&state)
        } catch {
            // What cannot be read is not written over: the guard stays off.
            state.ledger = LaunchLedger(process: "")
            tell(error, &state)
            return
        }
        do throws(IOError) {
            lines = CrashStamp.lines(
                try folder.read(Self.stampName, limit: Self.mostBytes) ?? [])
        } catch {
            lines = []
            tell(error, &state)
        }
        let before = ledger.scenes
        ledger.countEnd(lines, boot: environment.boot)
        for (scene, launches) in ledger.scenes
        where launches.endCount > before[scene]?.endCount ?? 0 {
            state.deaths[scene] = launches.lastEnd
        }
        ledger.handOver(to: environment.process)
        state.ledger = ledger
        do throws(IOError) {
            // Before the stamps of the old process go, what they say is counted.
            try write(&state)
            state.isOn = true
            try arm(&state)
        } catch {
            tell(error, &state)
        }
    }

    /// Takes in an event, and writes it down.
    func record(_ event: LaunchEvent, _ state: inout State, durably: Bool = false) {
        state.ledger?.apply(event)
        guard state.isOn else { return }
        do throws(IOError) {
            guard let file = state.file, !durably, state.eventCount < Self.mostEvents else {
                try write(&state, durably: durably)
                return
            }
            // Unless all of it is written, another line may not follow.
            state.file = nil
            try file.write(encoded(event))
            state.file = file
            state.eventCount += 1
        } catch {
            tell(error, &state)
        }
    }

    private func tell(_ error: IOError, _ state: inout State) {
        if state.hasToldWriting { return }
        state.hasToldWriting = true
        state.problems.append(.unwritable(error))
    }

    // MARK: Writing

    private func write(_ state: inout State, durably: Bool = false) throws(IOError) {
        state.file = nil
        try folder.remove(Self.temporaryName)
        let file: any FolderFile
        do throws(IOError) {
            file = try folder.createFile(Self.temporaryName)
            try file.write(encoded(state.ledger))
            if durably { try file.synchronize() }
            try folder.rename(Self.temporaryName, to: Self.ledgerName)
        } catch {
            // A part of it would only fill the disk; what stays is removed by the next attempt.
            do throws(IOError) { try folder.remove(Self.temporaryName) } catch {}
            throw error
        }
        if durably { try folder.synchronize() }
        state.file = file
        state.eventCount = 0
    }

    private func encoded(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
        } catch {
            preconditionFailure("texts and numbers can always be written as JSON: \(error)")
        }
    }

    /// Empties the stamp file, and lets this process leave its stamp there.
    private func arm(_ state: inout State) throws(IOError) {
        let file = try openStamp()
        try file.truncate(to: 0)
        guard let file = file.kernelFile else { return }
        state.stamp = CrashStamp(file, owner: environment.process)
        if state.stamp == nil {
            state.problems.append(.unstamped(reason: "too many state directories are open"))
        }
    }

    private func openStamp() throws(IOError) -> any FolderFile {
        if let file = try folder.openForAppending(Self.stampName) { return file }
        return try folder.createFile(Self.stampName)
    }

    // MARK: Reading

    private func readLedger(_ state: inout State) throws(IOError) -> LaunchLedger {
        let bytes: [UInt8]
        do throws(IOError) {
            guard let read = try folder.read(Self.ledgerName, limit: Self.mostBytes) else {
                return LaunchLedger(process: "")
            }
            bytes = read
        } catch {
            try moveAway("\(error)", &state)
            return LaunchLedger(process: "")
        }
        let (ledger, damage) = Self.parse(bytes)
        if let damage { try moveAway(damage, &state) }
        return ledger
    }

    /// The ledger that a file holds, as far as it can be read, and what is wrong with the file. An end
    /// that is cut off, as a power cut leaves it, is nothing wrong.
    static func parse(_ bytes: [UInt8]) -> (ledger: LaunchLedger, damage: String?) {
        let newline = UInt8(ascii: "\n")
        let lines = bytes.split(separator: newline, omittingEmptySubsequences: false)
        let decoder = JSONDecoder()
        var ledger = LaunchLedger(process: "")
        // What is behind the last newline is no line.
        for (number, line) in lines.dropLast().enumerated() {
            do {
                if number == 0 {
                    ledger = try decoder.decode(LaunchLedger.self, from: Data(line))
                } else {
                    ledger.apply(try decoder.decode(LaunchEvent.self, from: Data(line)))
                }
            } catch {
                return (ledger, "line \(number + 1) is damaged.")
            }
        }
        return (ledger, lines.count < 2 ? "it has no whole line." : nil)
    }

    private func moveAway(_ reason: String, _ state: inout State) throws(IOError) {
        try folder.rename(Self.ledgerName, to: Self.damagedName)
        state.problems.append(
            .damaged(path: "\(folder.path)/\(Self.damagedName)", reason: reason))
    }
}
