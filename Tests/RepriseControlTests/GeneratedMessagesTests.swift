import Testing
import Varlink

@testable import RepriseControl

/// The JSON of every message, with sample values for all members that the definition of the interface declares.
@Suite struct GeneratedMessagesTests {
    private static let calls: [any MethodCall.Type] = [
        StatusCall.self, RelocateCall.self, DrainCall.self, ClusterCall.self,
        ClusterHistoryCall.self, ClusterPauseCall.self, ClusterResumeCall.self,
        ClusterTakeCall.self, ListCall.self, MetricsCall.self, ClientsCall.self, MonitorCall.self,
        ShowCall.self, AttachCall.self, DescribeCall.self, TreeCall.self, GetCall.self,
        CommandsCall.self,
        CallCall.self, TypeCall.self, EditTextCall.self, ReplaceTextCall.self, SelectCall.self,
        TapCall.self,
        EditCall.self, MoveCall.self, DeleteCall.self, UndoDeleteCall.self,
        ScrollCall.self, ZoomCall.self,
        LoadCall.self, BackCall.self, ForwardCall.self, DismissCall.self, ReportCall.self,
        ExplainCall.self, OpenCall.self, CloseCall.self, PreserveCall.self, QuitCall.self,
        LaunchCall.self, HistoryCall.self, DiffCall.self, QuarantineCall.self, BackupCall.self,
        HistoryDeleteCall.self, QuarantineDeleteCall.self, QuarantineAcknowledgeCall.self,
        QuarantinePutBackCall.self, RollbackCall.self, ResetCall.self, ReloadCall.self,
        RekeyCall.self, DebugExitCall.self, DebugTrapCall.self,
    ]

    /// Sample value of a type.
    private struct Sample {
        /// Value with all members, sorted by name.
        var whole: String
        /// Values that each lack one required member, at any depth.
        var incomplete: [String] = []

        func map(_ transform: (String) -> String) -> Sample {
            Sample(whole: transform(whole), incomplete: incomplete.map(transform))
        }
    }

    private let definition: InterfaceDefinition

    init() throws {
        definition = try ControlInterface.definition()
    }

    private func sample(_ type: ValueType) throws -> Sample {
        switch type {
        case .bool: Sample(whole: "true")
        case .int: Sample(whole: "7")
        case .float: Sample(whole: "0.5")
        case .string: Sample(whole: #""s""#)
        case .object: Sample(whole: #"{"k":1}"#)
        case .named(let name): try sample(try #require(definition.type(named: name)).type)
        case .structure(let fields): try sample(fields)
        case .enumeration(let cases): Sample(whole: #""\#(try #require(cases.last).name)""#)
        case .array(let element): try sample(element).map { "[\($0)]" }
        case .map(let element): try sample(element).map { #"{"k":\#($0)}"# }
        case .nullable(let type): try sample(type)
        }
    }

    private func sample(_ fields: [Field]) throws -> Sample {
        let members: [(isOptional: Bool, sample: Sample)] = try fields.sorted {
            $0.name < $1.name
        }.map { field in
            let isOptional = if case .nullable = field.type { true } else { false }
            return (isOptional, try sample(field.type).map { #""\#(field.name)":\#($0)"# })
        }
        func text(_ members: [String]) -> String { "{\(members.joined(separator: ","))}" }
        let whole = members.map { $0.sample.whole }
        var result = Sample(whole: text(whole))
        for (index, (isOptional, member)) in members.enumerated() {
            func replaced(_ members: [String]) -> String {
                var all = whole
                all.replaceSubrange(index...index, with: members)
                return text(all)
            }
            if !isOptional { result.incomplete.append(replaced([])) }
            result.incomplete += member.incomplete.map { replaced([$0]) }
        }
        return result
    }

    private func check<Message: JSONMessage>(_ type: Message.Type, _ fields: [Field]) throws {
        let sample = try sample(fields)
        var reader = JSONReader(Array(sample.whole.utf8))
        #expect(try JSON.text(try reader.readAll(type)) == sample.whole)
        for text in sample.incomplete {
            #expect(throws: JSONReadingError.self, "\(type): \(text)") {
                try JSON.decode(type, text)
            }
        }
    }

    @Test func `calls and replies have all members of the definition and enforce required ones`()
        throws
    {
        func check<Call: MethodCall>(_ call: Call.Type) throws -> String {
            let method = try #require(definition.method(named: call.method))
            try self.check(call, method.parameters)
            try self.check(Call.Reply.self, method.reply)
            return method.name
        }
        var checked: [String] = []
        for call in Self.calls { checked.append(try check(call)) }
        #expect(checked == definition.methods.map { $0.name })
    }

    @Test func `errors have all members of the definition and enforce required ones`() throws {
        for error in definition.errors {
            let (name, sample) = ("org.reprise.Control.\(error.name)", try sample(error.parameters))
            let whole = VarlinkError(name: name, parameters: Array(sample.whole.utf8))
            #expect(try #require(ControlError(whole)).varlinkError == whole)
            for text in sample.incomplete {
                let incomplete = VarlinkError(name: name, parameters: Array(text.utf8))
                #expect(ControlError(incomplete) == nil, "\(name): \(text)")
            }
        }
    }
}
