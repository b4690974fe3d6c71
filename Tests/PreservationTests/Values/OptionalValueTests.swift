import Preservation
import StateRestoration
import TestSupport
import Testing

/// Values whose type is optional.
@Suite struct OptionalValueTests {
    private struct Note: Codable, Equatable {
        var text = ""
    }

    /// Saves a value, and returns the value that the next launch restores.
    private func restored<Value: Codable & Equatable & Sendable>(
        _ value: Value, default defaultValue: Value
    ) async throws -> Value {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("value", default: defaultValue)
            } _: { _, saved async throws in
                try await saved.update { $0 = value }
            }
            var restored = defaultValue
            try await withProgram(in: scratch) {
                try await $0.value("value", default: defaultValue)
            } _: { _, saved async throws in
                restored = try await saved.current
            }
            return restored
        }
    }

    @Test func `R1: a value that was set to nil is restored as nil, whatever its default is`()
        async throws
    {
        #expect(try await restored(nil, default: Int?.some(5)) == nil)
        #expect(try await restored(nil, default: Note?.some(Note(text: "default"))) == nil)
        #expect(try await restored(nil, default: [Int?]?.some([1])) == nil)
        #expect(try await restored(.some(7), default: Int?.none) == 7)
        #expect(try await restored(nil, default: Bool??.some(true)) == Bool??.none)
        #expect(try await restored(.some(false), default: Bool??.none) == .some(.some(false)))
    }

    @Test func `a migration converts a value that was saved as nil`() async throws {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            try await withProgram(in: scratch) {
                try await $0.value("value", default: Int?.some(5))
            } _: { _, value async throws in
                try await value.update { $0 = nil }
            }
            // Without a migration, the launch stops and nothing is overwritten.
            await #expect(throws: (any Error).self) {
                try await withProgram(in: scratch) {
                    try await $0.value("value", default: 0)
                } _: { _, value async throws in
                    _ = try await value.current
                }
            }
            try await withProgram(in: scratch) {
                try await $0.value(
                    "value", default: 0, migrations: [.from(Int?.self) { $0 ?? -1 }])
            } _: { _, value async throws in
                #expect(try await value.current == -1)
            }
        }
    }

    @Test func `P9: an optional that contains nil is not saved, and the update throws an error`()
        async throws
    {
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            for isFirst in [true, false] {
                try await withProgram(in: scratch) {
                    try await $0.value("value", default: Int??.some(.some(1)))
                } _: { _, value async throws in
                    if !isFirst { #expect(try await value.current == .some(.some(2))) }
                    try await value.update { $0 = .some(.some(2)) }
                    guard isFirst else { return }
                    await #expect(throws: UnsavedChange.self) {
                        try await value.update { $0 = .some(nil) }
                    }
                }
            }
        }
    }
}
