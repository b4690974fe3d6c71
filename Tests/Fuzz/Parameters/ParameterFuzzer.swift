import RepriseControl

@testable import Varlink

/// Fuzzer for the generated readers. A reader must accept the same parameters as the check against the definition. If
/// both reject the parameters, they must name the same parameter.
enum ParameterFuzzer {
    private static let definition: InterfaceDefinition = {
        do { return try ControlInterface.definition() } catch { fatalError("\(error)") }
    }()

    static var seeds: [[UInt8]] {
        [
            #"{"application":"a","scene":"s","path":"p","text":"é\n","append":true}"#,
            #"{"path":"p","select":{"lowerBound":1,"upperBound":2.0}}"#,
            #"{"path":"p","x":1.5e3,"y":-0}"#,
            #"{"path":"p","indexes":[1,2e1],"identifiers":null}"#,
            #"{"path":"p","command":"c","arguments":{"a":[1,{"b":null}],"c":0.5}}"#,
            #"{"kinds":["pass","changed"],"after":9223372036854775807}"#,
            #"{"scenes":[{"name":"n","phase":"saved","recorded":0,"restored":0,"unrestored":0,"superfluousCompletions":0,"timedOut":false}]}"#,
            "{}",
        ].map { Array($0.utf8) }
    }

    static func read(_ input: [UInt8]) {
        // Without a preceding check, the readers also receive bytes that are not JSON.
        readAnything(TypeCall.self, input)
        readAnything(LaunchCall.Reply.self, input)
        readAnything(StatusCall.Reply.self, input)
        readAnything(MonitorCall.Reply.self, input)
        let message = Array(#"{"method":"a.b.C","parameters":"#.utf8) + input + [0x7D]
        guard let call = try? Call(parsing: message) else { return }
        compare(TypeCall.self, call)
        compare(ScrollCall.self, call)
        compare(SelectCall.self, call)
        compare(CallCall.self, call)
        compare(MonitorCall.self, call)
        compare(StatusCall.self, call)
    }

    private static func readAnything<Value: JSONMessage>(_ type: Value.Type, _ input: [UInt8]) {
        var reader = JSONReader(input)
        _ = try? reader.readAll(type)
        _ = try? JSONText.read(type, from: input)
    }

    private static func compare<Parameters: MethodCall>(_ type: Parameters.Type, _ call: Call) {
        let fields = definition.method(named: Parameters.method)?.parameters ?? []
        let expected = definition.invalidParameterName(in: call.parameterMembers, for: fields)
        var found: String?
        do throws(JSONReadingError) {
            var reader = JSONReader(call.parameters)
            let value = try reader.readAll(type)
            guard let written = try? JSONText.write(value),
                let again = try? JSONText.read(type, from: written),
                let rewritten = try? JSONText.write(again), rewritten == written
            else { fatalError("parameters that were written cannot be read") }
        } catch {
            guard case .invalidParameter(let name) = error else { fatalError("\(error)") }
            // The check does not reject a number that no type can represent in a value of any type.
            if name == "arguments", expected == nil { return }
            found = name
        }
        guard found.map({ Array($0.utf8) }) == expected.map({ Array($0.utf8) }) else {
            fatalError("\(Parameters.method): \(found ?? "-"), and \(expected ?? "-") expected")
        }
    }
}
