import InMemoryTracing
import Logging
import ServiceLifecycle
import StateRestoration
import TestSupport
import Testing
import Tracing

@testable import Preservation

/// Spans that an application creates.
@Suite struct ApplicationTracingTests {
    private struct Refusal: Error {}

    /// Runs an application with a counter, and returns its spans.
    private func spans(
        durability: PreservationSettings.Durability = .written,
        of body: (Application, RestorableValue<Int>) async throws -> Void
    ) async throws -> [FinishedInMemorySpan] {
        let tracer = InMemoryTracer()
        var settings = PreservationSettings()
        settings.tracer = tracer
        settings.durability = durability
        try await withScratchDirectory { (scratch: ScratchDirectory) async throws in
            let application = try Application(
                bundleIdentifier: "org.example.Counter", bundleVersion: "1",
                stateDirectory: ApplicationStateDirectory(path: scratch.stateDirectory),
                settings: settings, logger: .quiet)
            let counter = try await application.value("counter", default: 0)
            let services = ServiceGroup(services: [application], logger: .quiet)
            async let running: Void = services.run()
            try await application.waitUntilReady()
            tracer.clearFinishedSpans()
            try await body(application, counter)
            await services.triggerGracefulShutdown()
            try await running
        }
        #expect(tracer.activeSpans.isEmpty)
        return tracer.finishedSpans
    }

    @Test func `an update has a span, and the turn that saves it contains a pass and a write`()
        async throws
    {
        let spans = try await spans { _, counter async throws in
            _ = try await counter.update { $0 += 1 }
        }
        let update = try #require(spans.first { $0.operationName == "reprise.update" })
        #expect(
            update.attributes["reprise.application"]?.toSpanAttribute() == "org.example.Counter")
        #expect(update.attributes["reprise.saved"]?.toSpanAttribute() == "written")
        #expect(update.errors.isEmpty)
        let pass = try #require(spans.first { $0.operationName == "reprise.pass" })
        let write = try #require(spans.first { $0.operationName == "reprise.write" })
        let turn = try #require(spans.first { $0.spanID == pass.parentSpanID })
        #expect(turn.operationName == "reprise.turn")
        #expect(write.parentSpanID == turn.spanID)
    }

    @Test func `a span around an update is the parent of the update's span`() async throws {
        let outer = InMemoryTracer().startSpan("request")
        defer { outer.end() }
        let spans = try await spans { _, counter async throws in
            try await ServiceContext.withValue(outer.context) {
                _ = try await counter.update { $0 += 1 }
            }
        }
        let update = try #require(spans.first { $0.operationName == "reprise.update" })
        #expect(update.parentSpanID == outer.spanID)
    }

    @Test func `a sync has a span`() async throws {
        let spans = try await spans(durability: .commit) { _, counter async throws in
            #expect(try await counter.update { $0 += 1 }.saved == .durable)
        }
        #expect(spans.contains { $0.operationName == "reprise.sync" && $0.errors.isEmpty })
    }

    @Test func `the span of a failed update records the error`() async throws {
        let spans = try await spans { _, counter async throws in
            await #expect(throws: Refusal.self) {
                try await counter.update { _ in throw Refusal() }
            }
        }
        let update = try #require(spans.first { $0.operationName == "reprise.update" })
        #expect(update.errors.count == 1)
        #expect(update.errors.first?.error is Refusal)
        #expect(update.status?.code == .error)
    }

    @Test func `a read has no update span`() async throws {
        let spans = try await spans { _, counter async throws in
            #expect(try await counter.current == 0)
        }
        #expect(!spans.contains { $0.operationName == "reprise.update" })
    }

    @Test func `a span ends when its work throws, and the next span has the outer parent`() throws {
        let tracer = InMemoryTracer()
        let tracing = ApplicationTracing(tracer, bundleIdentifier: "a")
        tracing.span(.turn) {
            #expect(throws: Refusal.self) { try tracing.span(.pass) { throw Refusal() } }
            tracing.span(.write) {}
        }
        #expect(tracer.activeSpans.isEmpty)
        let (pass, write, turn) = try #require(
            tracer.finishedSpans.count == 3
                ? (tracer.finishedSpans[0], tracer.finishedSpans[1], tracer.finishedSpans[2]) : nil)
        #expect(pass.parentSpanID == turn.spanID && write.parentSpanID == turn.spanID)
        #expect(turn.parentSpanID == nil)
        #expect(pass.errors.count == 1 && write.errors.isEmpty && turn.errors.isEmpty)
    }
}
