import DaemonHost
import RepriseControl
import Subprocess
import SystemPackage
import TestSupport
import Testing
import Varlink

/// Extreme numbers from clients and from the environment.
struct ExtremeNumberTests {
    private static let applications = ["ChildViews", "StateRestore", "Homepwner", "Scrapbook"]

    @Test func `a call with any number gets a reply, and the resulting state can be restored`()
        async throws
    {
        try await Host.with { host in
            try await host.run { daemon in
                let calls = try NumericCalls()
                try #require(calls.count >= 8, "the interface has more methods with numbers")
                let socket = try RawSocket(host.socket)
                for application in Self.applications {
                    for path in try await paths(of: application, host) {
                        for call in calls.all(application: "org.reprise.\(application)", path: path)
                        {
                            try socket.send(Array(call.utf8))
                            let reply = try socket.receive()
                            try #require(
                                reply?.hasPrefix(#"{"parameters":"#) == true
                                    || reply?.hasPrefix(#"{"error":"#) == true,
                                "\(call): \(reply ?? "the connection was closed")")
                        }
                    }
                }
            }
            try await host.run { _ in
                for application in Self.applications {
                    let report = try await host.application(application)("report")
                    try #require(report.contains("restore"), "\(report)")
                }
            }
        }
    }

    /// Returns the paths of all objects of an application.
    private func paths(of application: String, _ host: Host) async throws -> [String] {
        try await host.application(application)("tree", "--json").split(separator: "\"")
            .map(String.init).filter { $0.contains("/") }
    }

    @Test(arguments: [
        "0", "-1", "1000", "9223372036854775807", "9223372036854775808", "18446744073709551614",
        "18446744073709551616", "1e9",
    ])
    func `the daemon runs with any watchdog interval`(number: String)
        async throws
    {
        try await Host.with { host in
            let end = try await host.run(environment: ["WATCHDOG_USEC": number]) { _ in
                try await host.require(child1: "", reason: "pristine")
            }
            try #require(end.status.isSuccess, "\(end.status) \(end.log)")
        }
    }

    @Test(arguments: [
        "-1", "1", "4096", "2147483647", "2147483648", "4294967295", "9223372036854775807",
        "18446744073709551616", "1e9",
    ])
    func `an invalid LISTEN_FDS is an error`(number: String) async throws {
        try await Host.with { host in
            let result = try await host.attempt(
                by: ["sh", "-c", #"LISTEN_PID=$$ exec "$0" "$@""#],
                environment: ["LISTEN_FDS": number])
            guard case .exited(let status) = result.status else {
                Issue.record("\(result)")
                return
            }
            try #require(status != 0 && result.errors.contains("LISTEN_FDS"), "\(result)")
        }
    }
}

/// Calls of every method of the control interface with a numeric parameter, one for each such parameter.
private struct NumericCalls {
    private let definition: InterfaceDefinition
    private let methods: [MethodDefinition]

    init() throws {
        let definition = try ControlInterface.definition()
        self.definition = definition
        methods = definition.methods.filter { method in
            Parameters(definition, "", target: 0, number: "0").text(of: method) != nil
        }
    }

    /// Number of methods.
    var count: Int { methods.count }

    /// Returns the calls for one object, as JSON.
    func all(application: String, path: String) -> [String] {
        var calls: [String] = []
        for method in methods {
            for number in ExtremeNumbers.texts where number.utf8.count < 30 {
                for target in 0..<4 {
                    let parameters = Parameters(definition, path, target: target, number: number)
                    guard let text = parameters.text(of: method) else { break }
                    calls.append(
                        #"{"method":"org.reprise.Control.\#(method.name)","parameters":"#
                            + #"{"application":"\#(application)",\#(text)}}"#)
                }
            }
        }
        return calls
    }

    /// Parameters of a call.
    private struct Parameters {
        let definition: InterfaceDefinition
        let path: String
        /// Index of the number to set, in the order of the parameters. The other numbers are 1.
        let target: Int
        let number: String
        private var count = 0

        init(_ definition: InterfaceDefinition, _ path: String, target: Int, number: String) {
            self.definition = definition
            self.path = path
            self.target = target
            self.number = number
        }

        /// Returns the parameters without the application, or `nil` if the method has fewer numbers.
        func text(of method: MethodDefinition) -> String? {
            var copy = self
            let fields = copy.fields(method.parameters.filter { $0.name != "application" })
            return copy.count > target ? fields : nil
        }

        private mutating func fields(_ fields: [Field]) -> String {
            fields.compactMap { field in
                value(field.type, field.name).map { #""\#(field.name)":\#($0)"# }
            }.joined(separator: ",")
        }

        private mutating func value(_ type: ValueType, _ name: String) -> String? {
            switch type {
            case .int, .float:
                defer { count += 1 }
                return count == target ? number : "1"
            case .string: return name == "path" ? #""\#(path)""# : #""x""#
            case .bool: return "true"
            case .object: return "1"
            case .enumeration(let cases): return cases.first.map { #""\#($0.name)""# }
            case .structure(let fields): return "{\(self.fields(fields))}"
            case .array(let element): return value(element, name).map { "[\($0)]" }
            case .map(let element): return value(element, name).map { #"{"x":\#($0)}"# }
            case .nullable(let wrapped):
                let before = count
                let value = value(wrapped, name)
                return count > before ? value : nil
            case .named(let name):
                return definition.types.first { $0.name == name }.flatMap { value($0.type, name) }
            }
        }
    }
}
