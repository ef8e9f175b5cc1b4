# SPDX-License-Identifier: Apache-2.0
"""The networks, each with its forms: the same function of the same weights, of which a peer may take the fastest."""
FORMS = {
    "resnet18": ["resnet18"],
    "mobilenet_v1": ["mobilenet_v1"],
    "dqn": ["dqn"],
    "dcgan": ["dcgan", "dcgan_convolutions"],
    "lstm": ["lstm", "lstm_concatenated", "lstm_operator"],
    "lstm_sequence": ["lstm_sequence"],
    "resnet50": ["resnet50"],
    "mobilenet_v2": ["mobilenet_v2"],
    "bert_layer": ["bert_layer"],
    "resnet18_i8": ["resnet18_i8"],
}
QUANTIZED = {"resnet18_i8": "resnet18"}  # made from which network
SYSTEMS = ["onnxruntime", "openvino"]
