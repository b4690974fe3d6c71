import FoundationEssentials
import StateRestoration
import TestSupport
import Testing

@testable import Preservation

/// Messages about values, as a program without a control socket shows them.
@Suite struct ValueMessageTests {
    private struct Measurement: Codable, Identifiable {
        var id: Double
    }

    private struct Visit: Codable, Identifiable {
        var id: String
    }

    @Test func `an id that does not equal itself is refused`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("values", of: Measurement.self)
            } _: { _, values async throws in
                let appended = await #expect(throws: RestorableValueError.self) {
                    try await values.update { $0.append(Measurement(id: .nan)) }
                }
                #expect(appended?.code == .invalidIdentifier)
                let set = await #expect(throws: RestorableValueError.self) {
                    try await values.update { $0[id: .nan] = Measurement(id: .nan) }
                }
                #expect(set?.description.contains("this id does not equal itself") == true)
                #expect(try await values.count == 0)
            }
        }
    }

    @Test func `errors about an id escape its control characters`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.collection("visits", of: Visit.self)
            } _: { _, visits async throws in
                let forged = "a\nb"
                let missing = await #expect(throws: RestorableValueError.self) {
                    try await visits.update { $0.move(id: forged, to: 0) }
                }
                #expect(missing?.description.contains(#""a\nb""#) == true)
                let changed = await #expect(throws: RestorableValueError.self) {
                    try await visits.update {
                        $0.append(Visit(id: "a"))
                        $0[0] = Visit(id: forged)
                    }
                }
                #expect(changed?.description.contains(#"to "a\nb""#) == true)
                let long = await #expect(throws: RestorableValueError.self) {
                    try await visits.update {
                        $0.append(Visit(id: String(repeating: "\n", count: 86)))
                    }
                }
                #expect(long?.description.contains("\n") == false)
                #expect(long?.description.contains("counts as three") == true)
            }
        }
    }

    @Test func `a name from outside the program is escaped in an error`() {
        let error = ApplicationError.noSuchGeneration(
            application: "a", generation: "1\n2\u{2028}", generations: [])
        #expect(error.description.hasPrefix(#"a has no generation "1\n2\u{2028}""#))
    }

    @Test func `P9: the stop logs a value that could not be saved`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let recorder = LogRecorder()
            var settings = PreservationSettings()
            settings.limits = ValueLimits(warningBytes: 50, maximumBytes: 100)
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: recorder.logger())
            let value = try await application.value("big", default: "")
            let running = Task { try await application.run() }
            await #expect(throws: UnsavedChange.self) {
                try await value.update { $0 = String(repeating: "a", count: 200) }
            }
            // A transaction refuses the value, so nothing changes.
            let refused = await #expect(throws: RestorableValueError.self) {
                try await application.update(value) {
                    $0.value = String(repeating: "b", count: 200)
                }
            }
            #expect(refused?.code == .notSavable)
            #expect(try await value.current.first == "a")
            running.cancel()
            try await running.value
            let messages = recorder.entries.suffix(2).map(\.message)
            #expect(
                messages.first?.hasPrefix(
                    """
                    org.example.Jobs main: stopped without saving all of its state: big: "value" is not saved: it takes \
                    203 bytes
                    """) == true)
            #expect(messages.last == "org.example.Jobs: stopped")
        }
    }

    @Test func `a run after quit() logs that the application is not launched`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let recorder = LogRecorder()
            let application = try Application(
                bundleIdentifier: "org.example.Jobs", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                logger: recorder.logger())
            try await application.quit()
            try await application.run()
            #expect(
                recorder.entries.map(\.message) == [
                    "org.example.Jobs: was not launched, because it was quit before run() was called"
                ])
        }
    }
}
