import DaemonHost
import Subprocess
import SystemPackage
import Testing

/// User operations in the sample applications, through the real programs.
struct SampleOperationTests {
    private static let table = "navController/tableViewController/tableView"
    private static let detail = "navController/viewController"

    @Test func `forward returns to the page that back left`() async throws {
        try await Host.with { host in
            let application = host.application("Scrapbook")
            let web = "tabs/web/webView"
            try await host.run { _ in
                try await application("load", web, "scrapbook:paper")
                try await application("back", web)
                try #require(try await application("get", web, "historyIndex") == "0")
                try #require(try await application("forward", web) == "saved: written")
                try #require(try await application("get", web, "historyIndex") == "1")
                let refusal = try await application.refusal("forward", web)
                try #require(refusal.contains("forward is not possible at \(web)"), "\(refusal)")
            }
        }
    }

    @Test func `dismiss closes the presented controller`() async throws {
        try await Host.with { host in
            let application = host.application("StateRestore")
            try await host.run { _ in
                try await application("tap", Self.table, "--row", "0")
                try await application("get", Self.detail)
                try #require(try await application("dismiss") == "saved: written")
                let refusal = try await application.refusal("get", Self.detail)
                try #require(refusal.contains("no object at \(Self.detail)"), "\(refusal)")
            }
        }
    }

    @Test func `rows are selected by index or model identifier, and can be deselected`()
        async throws
    {
        try await Host.with { host in
            let application = host.application("StateRestore")
            func selected() async throws -> [String] {
                try await application.values(
                    Self.table, "selectedElements", "selectedModelIdentifiers")
            }
            try await host.run { _ in
                let none = try await selected()
                try await application("select", Self.table, "0", "2")
                let both = try await selected()
                let identifiers = both[1].split { !$0.isHexDigit && $0 != "-" }.map(String.init)
                try #require(identifiers.count == 2, "\(both)")

                let cleared = try await application("select", Self.table, "--none")
                try #require(cleared == "saved: written")
                try #require(try await selected() == none)
                try await application("select", Self.table, "--id", identifiers[0], identifiers[1])
                try #require(try await selected() == both)
                let refusal = try await application.refusal("select", Self.table, "--id", "a")
                try #require(refusal.contains("no element with the identifier a"), "\(refusal)")
                try #require(try await selected() == both)
            }
            try await host.run { _ in
                try #require(try await selected().contains { $0.contains("-") })
            }
        }
    }

    @Test func `a segmented control always has a selected segment`() async throws {
        try await Host.with { host in
            try await host.run { _ in
                let result = try await host.control("select", Paths.control, "--none")
                try #require(result.status == .exited(1), "\(result)")
                try #require(
                    result.errors
                        == "reprisectl: select is not possible at \(Paths.control): exactly one "
                        + "segment must be selected.\n")
            }
        }
    }
}
