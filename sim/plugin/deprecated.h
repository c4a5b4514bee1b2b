/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deprecated.h - names that the door had up to ABI 4, for one release: they go with the next one.
 *
 * Members of vtables (show, tell, on_past of a policy; tell, rated of a model; tell of a binder) have both
 * names as well. What is left has to be changed by hand: struct sl_ask is struct sl_job_desc (sl_ask() is
 * sl_query()).
 */
#ifndef SL_PLUGIN_DEPRECATED_H
#define SL_PLUGIN_DEPRECATED_H

#ifndef SL_NO_DEPRECATED
#define sl_ask_clear           sl_job_desc_clear
#define sl_by                  sl_set_cause
#define sl_crowd               sl_task_mix
#define SL_CROWD_1             SL_TASK_MIX_1
#define SL_CROWD_2             SL_TASK_MIX_2
#define SL_CROWD_4             SL_TASK_MIX_4
#define SL_CROWD_8             SL_TASK_MIX_8
#define SL_CROWD_OTHER         SL_TASK_MIX_OTHER
#define SL_CROWD_SHARE         SL_TASK_MIX_SHARE
#define SL_CROWDS              SL_TASK_MIXES
#define sl_demand              sl_task_resources
#define sl_did                 sl_decision_kind
#define SL_DID_END             SL_DECISION_END
#define SL_DID_PLAN            SL_DECISION_PLAN
#define SL_DID_PREEMPT         SL_DECISION_PREEMPT
#define SL_DID_RESIZE          SL_DECISION_RESIZE
#define SL_DID_RESUME          SL_DECISION_RESUME
#define SL_DID_START           SL_DECISION_START
#define sl_entitled            sl_entitlement
#define sl_gauge_course        sl_gauge_series
#define sl_holding             sl_node_alloc
#define SL_INERT_ROOM          SL_INERT_SIZE
#define sl_input_again         sl_input_rewind
#define sl_job_more            sl_job_attributes
#define sl_lens                sl_node_mask
#define sl_model_hold_until    sl_model_defer_until
#define sl_model_rate          sl_model_speed
#define sl_model_show          sl_model_set_figure
#define sl_out_room            sl_out_reserve
#define SL_PARAM_SHEET         SL_PARAM_CSV
#define sl_past                sl_history_command
#define SL_PAST_PREEMPT        SL_HISTORY_PREEMPT
#define SL_PAST_RESIZE         SL_HISTORY_RESIZE
#define SL_PAST_RESUME         SL_HISTORY_RESUME
#define SL_PAST_START          SL_HISTORY_START
#define sl_piece               sl_node_tasks
#define sl_pieces_of           sl_node_tasks_of
#define sl_placed              sl_allocation
#define sl_placed_of           sl_allocation_of
#define sl_placer              sl_allocator
#define sl_placing             sl_node_scorer
#define sl_pod_near            sl_pod_affinity
#define sl_pods_pin            sl_podset_assignment
#define sl_promise_hold        sl_promise_set
#define SL_RATE_MAX            SL_SPEED_MAX
#define sl_rate_of             sl_speed_of
#define SL_RATE_ONE            SL_SPEED_ONE
#define sl_remark              sl_warning
#define SL_REMARKS_MAX         SL_WARNINGS_MAX
#define sl_resize_holding      sl_resize_alloc
#define sl_row_more            sl_row_attributes
#define sl_set_placer          sl_set_allocator
#define sl_set_placing         sl_set_node_scorer
#define sl_sheet               sl_csv_table
#define sl_sheet_column        sl_csv_column
#define sl_sheet_of            sl_csv_table_of
#define sl_sheet_place         sl_csv_place
#define sl_show                sl_table_sink
#define sl_shown               sl_metric_info
#define sl_shown_of            sl_figure_of
#define sl_start_holding       sl_start_alloc
#define sl_start_sized_holding sl_start_sized_alloc
#define sl_state_told          sl_state_reported
#define sl_tell_job_column     sl_report_job_column
#define sl_tell_metric         sl_report_metric
#define sl_tell_plan           sl_report_plan
#define sl_tell_table          sl_report_add_table
#define sl_told                sl_document_run
#define sl_told_column         sl_report_column
#define sl_told_table          sl_report_table
#define sl_wait_span           sl_wait_interval
#define sl_ask(...)            sl_query(__VA_ARGS__)
#endif

#endif
